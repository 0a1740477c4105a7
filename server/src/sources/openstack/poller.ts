import { textOf, type Json } from '../shared/json.ts'
import { findLastChanged, listChanges, type ChangedServers } from './compute.ts'
import type { ProjectInRegion } from './regions.ts'

/**
 * Each poll reaches back this far. It covers clocks of Nova's hosts that differ, and changes that were
 * written late.
 */
const overlap = 120_000
/** How far Muster's clock may be ahead of Nova's. */
const clockMargin = 60_000

/** The changes of one project in one region, or of all projects with one token. */
export interface Poller {
  project: ProjectInRegion
  /** A time that has passed on Nova's clock. */
  since: number
  /** The servers of the last poll as they were, so that the overlap is not reported again. */
  seen: ReadonlyMap<string, string>
}

/**
 * The latest time that has certainly passed on Nova's clock. If Nova does not send its time, this is the time
 * of the last change. A server whose host has a clock that is ahead does not count.
 */
function timeOver({ servers, novaTime }: ChangedServers, before: number, now: number): number {
  if (novaTime !== undefined) return novaTime
  return servers
    .map((server) => Date.parse(textOf(server, 'updated')))
    .filter((time) => time <= now - clockMargin)
    .reduce((latest, time) => Math.max(latest, time), before)
}

/** Starts a poller that reports changes from now on. */
export async function startPoller(
  project: ProjectInRegion,
  now: number,
  signal: AbortSignal,
): Promise<Poller> {
  const last = await findLastChanged(project.compute, signal)
  const since = timeOver(last, 0, now)
  return { project, since: since === 0 ? now - clockMargin : since, seen: new Map() }
}

interface Changes {
  /** Servers that changed since the last poll, deleted ones included. */
  readonly changed: readonly Json[]
  /** The next poll does not report them again. */
  commit(): void
}

export async function findChanges(
  poller: Poller,
  now: number,
  signal: AbortSignal,
): Promise<Changes> {
  const listed = await listChanges(poller.project.compute, poller.since - overlap, signal)
  const texts = listed.servers.map((each) => [textOf(each, 'id'), JSON.stringify(each)] as const)
  const seen = new Map(texts)
  return {
    changed: listed.servers.filter((server) => {
      const id = textOf(server, 'id')
      return poller.seen.get(id) !== seen.get(id)
    }),
    commit() {
      poller.seen = seen
      poller.since = timeOver(listed, poller.since, now)
    },
  }
}
