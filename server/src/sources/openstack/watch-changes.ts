import { setTimeout as pause } from 'node:timers/promises'
import type { SourceUpdate } from '../../domain/sources/source.ts'
import { textOf, type Json } from '../shared/json.ts'
import { findLastChanged, listChanges } from './compute.ts'
import { findRegions, planRegion, type Reading } from './regions.ts'
import { readServers } from './scan-region.ts'
import type { Session } from './session.ts'

/** Milliseconds between two polls. */
const pollInterval = 4_000
/**
 * Each poll reaches back this far before the last change. It covers clocks of Nova's hosts that differ,
 * and changes that were written late.
 */
const overlap = 120_000
/** Polls until projects and regions are looked up again. */
const pollsPerPlan = 15

/** The changes of one project in one region, or of all projects with one token. */
interface Poller {
  readonly reading: Reading
  /** When the last change happened, by Nova's clock. */
  since: number
  /** The servers of the last poll as they were, so that the overlap is not reported again. */
  seen: ReadonlyMap<string, string>
}

const changedAt = (server: Json | undefined) => Date.parse(textOf(server, 'updated'))

/**
 * Nova's clock counts, not Muster's: the last change is the latest time that is surely over. Only a
 * cloud without servers has none.
 */
async function startPoller(reading: Reading, now: number, signal: AbortSignal): Promise<Poller> {
  const last = changedAt(await findLastChanged(reading.compute, signal))
  const since = Number.isNaN(last) ? now : last
  const poller: Poller = { reading, since, seen: new Map() }
  await poll(poller, signal)
  return poller
}

/** Servers that changed since the last poll, deleted ones included. */
async function poll(poller: Poller, signal: AbortSignal): Promise<readonly Json[]> {
  const servers = await listChanges(poller.reading.compute, poller.since - overlap, signal)
  const before = poller.seen
  const texts = servers.map((server) => [textOf(server, 'id'), JSON.stringify(server)] as const)
  poller.seen = new Map(texts)
  for (const server of servers) {
    const time = changedAt(server)
    if (time > poller.since) poller.since = time
  }
  return servers.filter((_, at) => before.get(texts[at]?.[0] ?? '') !== texts[at]?.[1])
}

const keyOf = ({ scope, compute }: Reading) => `${compute.client.region} ${scope.key}`

/** Yields changes by polling Nova's `changes-since`. */
export async function* watchChanges(
  session: Session,
  clock: () => number,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const { keystone } = session
  let pollers = new Map<string, Poller>()

  async function plan(): Promise<void> {
    const scopes = await keystone.findScopes(signal)
    const next = new Map<string, Poller>()
    for (const region of await findRegions(session, scopes, signal)) {
      for (const reading of await planRegion(session, scopes, region, signal)) {
        const key = keyOf(reading)
        next.set(key, pollers.get(key) ?? (await startPoller(reading, clock(), signal)))
      }
    }
    pollers = next
  }

  await plan()
  yield { present: [], gone: [] }
  for (let polls = 1; ; polls += 1) {
    await pause(pollInterval, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    if (polls % pollsPerPlan === 0) await plan()
    for (const poller of pollers.values()) {
      const changed = await poll(poller, signal)
      if (changed.length > 0) yield await readServers(session, poller.reading, changed, signal)
    }
  }
}
