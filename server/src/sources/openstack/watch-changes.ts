import { setTimeout as pause } from 'node:timers/promises'
import type { SourceUpdate } from '../../domain/sources/source.ts'
import { findChanges, startPoller, type Poller } from './poller.ts'
import { findRegions, planRegion } from './regions.ts'
import { readServers } from './scan-region.ts'
import type { Session } from './session.ts'

/** Milliseconds between two polls. */
const pollInterval = 4_000
/** Polls until projects and regions are looked up again. */
const pollsPerPlan = 15

/**
 * Yields changes by polling Nova's `changes-since`. While a region or a project fails, the others are still
 * polled. The time of the failed one does not advance, so its changes are found later.
 */
export async function* watchChanges(
  session: Session,
  clock: () => number,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  let pollers: ReadonlyMap<string, Poller> = new Map()

  async function planPollers(region: string, scopes: Parameters<typeof planRegion>[1]) {
    const { projects, failed } = await planRegion(session, scopes, region, signal)
    // The pollers of the region stay as they are.
    if (failed[0]) throw failed[0].error
    return await Promise.all(
      projects.map(async (project) => {
        const known = pollers.get(project.key)
        // Roles may have changed.
        return known ? Object.assign(known, { project }) : startPoller(project, clock(), signal)
      }),
    )
  }

  async function plan(): Promise<void> {
    const all = await session.keystone.findScopes(signal)
    const { regions, scopes } = await findRegions(session, all, signal)
    const planned = await settleSome(regions.map((region) => planPollers(region, scopes)))
    const next = planned.flatMap((found, at) => {
      const isOfRegion = ({ project }: Poller) => project.site.region === regions[at]
      return found ?? [...pollers.values()].filter(isOfRegion)
    })
    pollers = new Map(next.map((poller) => [poller.project.key, poller]))
  }

  async function poll(poller: Poller): Promise<SourceUpdate | undefined> {
    const { changed, commit } = await findChanges(poller, clock(), signal)
    const update =
      changed.length === 0 ? undefined : await readServers(session, poller.project, changed, signal)
    commit()
    return update
  }

  await plan()
  // Changes from before the watch are not reported.
  await settleSome(
    [...pollers.values()].map(async (poller) =>
      (await findChanges(poller, clock(), signal)).commit(),
    ),
  )
  yield { present: [], gone: [] }
  for (let polls = 1; ; polls += 1) {
    await pause(pollInterval, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    if (polls % pollsPerPlan === 0) await plan()
    for (const update of await settleSome([...pollers.values()].map(poll))) {
      if (update) yield update
    }
  }
}

/** The results, undefined for those that failed. Throws if all failed: the complete scan reports the others. */
async function settleSome<Result>(
  attempts: readonly Promise<Result>[],
): Promise<readonly (Result | undefined)[]> {
  const settled = await Promise.allSettled(attempts)
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed && settled.every(({ status }) => status === 'rejected')) throw failed.reason
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
}
