import { SourceError } from '../../domain/sources/source-error.ts'
import type { Source, SourceSettings, SourceContext } from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { readAwsSettings } from './aws-settings.ts'
import { createRegionClients, type RegionClient } from './region-client.ts'
import { requireList } from './list-elements.ts'
import { merge } from './merge.ts'
import { createCachedLookups, type CachedLookups } from './region-lookups.ts'
import { isRegion, partitionOf } from './region-names.ts'
import { getInstance, scanRegion } from './scan-region.ts'

const defaultRegion = 'us-east-1'
const maxConcurrentRegions = 4

interface OpenRegion {
  readonly client: RegionClient
  readonly cached: CachedLookups
}

export async function openAws(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  const aws = readAwsSettings(settings)
  const http = createHttpClient(context, aws.tls)
  const opened = new Map<string, OpenRegion>()
  const clientFor = await createRegionClients(aws, http)
  // Access keys are valid in one partition only, for example China.
  const start = aws.regions[0] ?? defaultRegion

  function regionOf(region: string): OpenRegion {
    const known = opened.get(region)
    if (known) return known
    if (!isRegion(region))
      throw new SourceError('invalid-response', `${JSON.stringify(region)} is not a region.`)
    const client = clientFor(region)
    const entry = { client, cached: createCachedLookups(client) }
    opened.set(region, entry)
    return entry
  }

  /** Read for each scan: an account may enable further regions. */
  async function findRegions(stop: AbortSignal): Promise<readonly string[]> {
    const { Regions } = await regionOf(start).client.call(
      (ec2, options) => ec2.describeRegions({}, options),
      stop,
    )
    // Some compatible systems also list regions that the key is not valid for.
    const enabled = requireList(Regions, 'regions')
      .filter(({ OptInStatus }) => OptInStatus !== 'not-opted-in')
      .flatMap(({ RegionName }) => RegionName ?? [])
      .filter((region) => partitionOf(region) === partitionOf(start))
      .sort()
    if (enabled.length === 0) throw new SourceError('incomplete', 'EC2 returned no regions.')
    const disabled = aws.regions.find((region) => !enabled.includes(region))
    if (disabled !== undefined) {
      throw new SourceError(
        'forbidden',
        `The region ${disabled} is not enabled for the AWS account.`,
      )
    }
    return aws.regions.length === 0 ? enabled : aws.regions
  }

  async function close(): Promise<void> {
    for (const { client } of opened.values()) client.close()
    http.close()
  }

  try {
    const regions = await findRegions(signal)
    const where = aws.endpoint === undefined ? '' : ` at ${new URL(aws.endpoint).host}`
    return {
      title: `AWS EC2${where}, ${regions.length === 1 ? regions[0] : `${regions.length} regions`}`,
      async *scan(stop) {
        const regions = await findRegions(stop)
        // With regions listed in the options, servers of other regions are removed.
        if (!aws.areRegionsGiven) yield { present: [], gone: [], regions }
        const scans = regions.map((region) => () => {
          const { client, cached } = regionOf(region)
          return scanRegion(client, cached, stop)
        })
        yield* merge(scans, maxConcurrentRegions)
      },
      get({ externalId, regionId }, stop) {
        const { client, cached } = regionOf(regionId)
        return getInstance(client, cached, externalId, stop)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
