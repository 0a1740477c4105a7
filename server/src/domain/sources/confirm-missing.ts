import { holdMissing, type Decision, type MissingServer } from './missing-servers.ts'
import { SourceError } from './source-error.ts'
import type { ServerReference, Source, SourceUpdate } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

/** In one scan. At 20 requests per second, this takes ten seconds. */
const maxConfirmations = 200
const maxConcurrentReads = 8

interface Confirming {
  readonly source: Pick<Source, 'get' | 'confirmsMissing'>
  readonly missing: readonly MissingServer[]
  readonly referencesOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, ServerReference>>
  readonly now: number
  readonly signal: AbortSignal
}

interface Confirmed extends Decision {
  /** Servers that exist although the scan missed them. */
  readonly existing: SourceUpdate
}

const nothing = { present: [], unreadable: [], gone: [] }

/** Reads servers one by one, up to the first error: a source that fails would delay the scan for long. */
async function readMissing(
  { source, signal }: Confirming,
  references: ReadonlyMap<string, ServerReference>,
) {
  const goneIds = new Set<string>()
  const existing: NonNullable<Awaited<ReturnType<Source['get']>>>[] = []
  const queue = references.entries()
  let hasFailed = false
  async function readNext(): Promise<void> {
    for (const [id, reference] of queue) {
      if (hasFailed) return
      try {
        const server = await source.get(reference, signal)
        if (server) existing.push(server)
        else goneIds.add(id)
      } catch (error) {
        if (signal.aborted || !(error instanceof SourceError)) throw error
        hasFailed = true
      }
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentReads }, readNext))
  return { goneIds, existing }
}

/**
 * Reads servers before they are removed, if the source's lists can lack servers that exist. Servers that
 * could not be read, or are too many, are held.
 */
export async function confirmMissing(
  confirming: Confirming,
  decision: Decision,
): Promise<Confirmed> {
  const { source, missing, referencesOf, now } = confirming
  if (source.confirmsMissing !== true) return { ...decision, existing: nothing }
  // Nothing can be asked about servers of tenants that the source does not read.
  const readable = new Map(
    missing
      .filter(({ isUnread }) => !isUnread)
      .map(({ sighting }) => [sighting.serverId, sighting] as const),
  )
  const ids = decision.goneIds.filter((id) => readable.has(id))
  const references = await referencesOf(ids.slice(0, maxConfirmations))
  const { goneIds, existing } = await readMissing(confirming, references)
  const present = existing.filter((server) => 'facts' in server)
  const unreadable = existing.filter((server) => 'reason' in server)
  const found = new Set(existing.map((server) => serverIdOf(server)))
  return {
    goneIds: decision.goneIds.filter((id) => goneIds.has(id) || !readable.has(id)),
    existing: { present, unreadable, gone: [] },
    held: [
      ...decision.held,
      ...ids
        .filter((id) => !goneIds.has(id) && !found.has(id))
        .flatMap((id) => readable.get(id) ?? [])
        // One that was held long enough is confirmed by the next scan.
        .map((sighting) => (sighting.missed > 0 ? sighting : holdMissing(sighting, 1, now))),
    ],
  }
}
