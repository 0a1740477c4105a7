import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  ServerReference,
  Source,
  SourceContext,
  SourceSettings,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { readAwsSettings } from './aws-settings.ts'
import { createRegionClients, type RegionClient } from './region-client.ts'
import { acquireAttributes } from './instance-attributes.ts'
import { requireList } from './list-elements.ts'
import { merge } from './merge.ts'
import { createCachedLookups } from './region-lookups.ts'
import { defaultRegion, isRegion, partitionOf } from './region-names.ts'
import { getInstances, scanRegion, type RegionMemory } from './scan-region.ts'

const maxConcurrentRegions = 4

interface OpenRegion {
  readonly client: RegionClient
  readonly memory: RegionMemory
}

export async function openAws(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  const aws = readAwsSettings(settings)
  const http = createHttpClient(context, aws.tls)
  const attributes = acquireAttributes(settings, context, '')
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
    const cached = createCachedLookups(client)
    const entry = { client, memory: { cached, memory: attributes.memory } }
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

  const getMany: NonNullable<Source['getMany']> = async (references, stop) => {
    const found = new Map<ServerReference, ReportedServer | UnreadableServer | undefined>()
    for (const [region, some] of Map.groupBy(references, ({ regionId }) => regionId)) {
      const { client, memory } = regionOf(region)
      const ids = some.map(({ externalId }) => externalId)
      const servers = await getInstances(client, memory, ids, stop)
      for (const [index, reference] of some.entries()) found.set(reference, servers[index])
    }
    return references.map((reference) => found.get(reference))
  }

  async function close(): Promise<void> {
    for (const { client } of opened.values()) client.close()
    http.close()
    attributes.release()
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
          const { client, memory } = regionOf(region)
          return scanRegion(client, memory, stop)
        })
        yield* merge(scans, maxConcurrentRegions)
      },
      async get(reference, stop) {
        return (await getMany([reference], stop))[0]
      },
      getMany,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
