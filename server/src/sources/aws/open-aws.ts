import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  FailedPart,
  ReportedServer,
  ScanPage,
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
import { merge } from '../shared/merge.ts'
import { createCachedLookups } from './region-lookups.ts'
import { defaultRegion, isRegion, partitionOf } from './region-names.ts'
import { getInstances, scanRegion, type RegionMemory } from './scan-region.ts'

const maxConcurrentRegions = 4
/** How many regions are tried for the list of regions, and the regions that most accounts have. */
const maxListings = 3
const usual = [defaultRegion, 'us-west-2', 'eu-west-1']

interface OpenRegion {
  readonly client: RegionClient
  readonly memory: RegionMemory
}

/** Sends no request yet: to read one server, the other regions need not answer. */
export async function openAws(settings: SourceSettings, context: SourceContext): Promise<Source> {
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

  /**
   * The region that listed the regions last, whether it succeeded, the regions that are read, and the
   * failures.
   */
  let lister = start
  let hasList = true
  let known: readonly string[] = []
  let listingFailures: readonly FailedPart[] = []

  /**
   * Lists the regions that the account has enabled. If one region is down, another one is asked. Undefined if none answers; throws if all reject the credentials.
   */
  async function listRegions(stop: AbortSignal): Promise<readonly string[] | undefined> {
    const more = aws.regions.length > 0 ? aws.regions : [...attributes.memory.keys(), ...usual]
    const candidates = [...new Set([lister, start, ...more])]
      .filter((region) => partitionOf(region) === partitionOf(start))
      .slice(0, maxListings)
    const failed: FailedPart[] = []
    for (const region of candidates) {
      try {
        const { Regions } = await regionOf(region).client.call(
          (ec2, options) => ec2.describeRegions({}, options),
          stop,
        )
        // Some compatible systems also list regions that the key is not valid for.
        const enabled = requireList(Regions, 'regions')
          .filter(({ OptInStatus }) => OptInStatus !== 'not-opted-in')
          .flatMap(({ RegionName }) => RegionName ?? [])
          .filter((name) => partitionOf(name) === partitionOf(start))
          .sort()
        if (enabled.length === 0) throw new SourceError('incomplete', 'EC2 returned no regions.')
        if (region !== lister || !hasList) listingFailures = failed
        lister = region
        hasList = true
        return enabled
      } catch (error) {
        if (stop.aborted || !(error instanceof SourceError)) throw error
        failed.push({ region, error, hasServers: true })
      }
    }
    listingFailures = failed
    hasList = false
    if (failed[0] && failed.every(({ error }) => error.kind === 'credentials')) {
      throw failed[0].error
    }
    return undefined
  }

  /** Read for each scan: an account may enable further regions. */
  async function findRegions(stop: AbortSignal) {
    const enabled = await listRegions(stop)
    const remembered = known.length > 0 ? known : [...attributes.memory.keys()].sort()
    const wanted = aws.regions.length === 0 ? (enabled ?? remembered) : aws.regions
    if (wanted.length === 0 && listingFailures[0]) throw listingFailures[0].error
    const failed = wanted
      .filter((region) => enabled?.includes(region) === false)
      .map((region) => ({
        region,
        error: new SourceError(
          'forbidden',
          `The region ${region} is not enabled for the AWS account.`,
        ),
      }))
    if (failed[0] && failed.length === wanted.length) throw failed[0].error
    known = wanted
    return { wanted, failed }
  }

  const getMany: NonNullable<Source['getMany']> = async (references, stop) => {
    const found = new Map<ServerReference, ReportedServer | UnreadableServer | undefined>()
    for (const [region, some] of Map.groupBy(references, ({ regionId }) => regionId)) {
      const { client, memory } = regionOf(region)
      const ids = some.map(({ externalId }) => externalId)
      const others = known.filter(isRegion).map((name) => regionOf(name).client)
      const servers = await getInstances(client, others, memory, ids, stop)
      for (const [index, reference] of some.entries()) found.set(reference, servers[index])
    }
    return references.map((reference) => found.get(reference))
  }

  async function close(): Promise<void> {
    for (const { client } of opened.values()) client.close()
    http.close()
    attributes.release()
  }

  const where = aws.endpoint === undefined ? '' : ` at ${new URL(aws.endpoint).host}`
  let title = `AWS EC2${where}`
  return {
    get title() {
      return title
    },
    async *scan(stop) {
      const { wanted: regions, failed } = await findRegions(stop)
      title = `AWS EC2${where}, ${regions.length === 1 ? regions[0] : `${regions.length} regions`}`
      yield { present: [], gone: [], regions, areRegionsGiven: aws.areRegionsGiven }
      const failures: FailedPart[] = [...failed]
      async function* scanAlone(region: string): AsyncGenerator<ScanPage> {
        try {
          const { client, memory } = regionOf(region)
          yield* scanRegion(client, memory, stop)
        } catch (error) {
          if (stop.aborted || !(error instanceof SourceError)) throw error
          failures.push({ region, error })
        }
      }
      const usable = regions.filter((region) => failed.every((part) => part.region !== region))
      const scans = usable.map((region) => () => scanAlone(region))
      yield* merge(scans, maxConcurrentRegions)
      if (failures[0] && failures.length === regions.length) throw failures[0].error
      yield { present: [], gone: [], failed: [...failures, ...listingFailures] }
    },
    async get(reference, stop) {
      return (await getMany([reference], stop))[0]
    },
    getMany,
    close,
  }
}
