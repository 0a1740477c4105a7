import type { ServerChange as ServerChangeDto } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import type { Requester } from '../../requester.ts'
import { timestamp } from '../../timestamp.ts'

/** A time in which an account, or a region of it, was not observed. */
export interface Gap {
  readonly accountId: string
  /** The source's id of the region; empty if it was the whole account. */
  readonly region: string
  /** The end of the last complete scan before it, in milliseconds since 1970; null if there was none. */
  readonly from: number | null
  /** The end of the next complete scan; null if there was none yet. */
  readonly until: number | null
}

/** The place of a gap in the list of its account. */
export type GapMarker = Pick<Gap, 'until' | 'region'>

export interface GapStore {
  /** The gaps that have a moment between these times, both included; of all accounts, or of these. */
  between(
    times: { readonly from: number; readonly until: number; readonly now: number },
    requester: Requester,
    accountIds?: readonly string[],
  ): Promise<readonly Gap[]>
  /** The gaps of an account, those that go on or ended last first. */
  of(
    accountId: string,
    page: { readonly after?: GapMarker; readonly limit: number; readonly now: number },
  ): Promise<readonly Gap[]>
}

/** At its start and at its end, the account was observed. */
export const containsMoment = ({ from, until }: Gap, time: number): boolean =>
  (from ?? 0) < time && (until === null || time < until)

/** What the scan at the end of a gap finds has happened since its start. */
const explains = ({ from, until }: Gap, time: number): boolean =>
  (from ?? 0) < time && (until === null || time <= until)

/** Whether servers of the account, in the region at the source, were not observed. */
export const concerns = (gap: Gap, accountId: string, region: string): boolean =>
  gap.accountId === accountId && (gap.region === '' || gap.region === region)

/** The start of the gap that a change was found after; null if there was none, or no observation before it. */
export function notObservedSince(
  gaps: readonly Gap[],
  { accountId, region, time }: { accountId: string; region: string; time: number },
): number | null {
  const starts = gaps
    .filter((gap) => concerns(gap, accountId, region) && explains(gap, time))
    .map(({ from }) => from)
  const known = starts.filter((start) => start !== null)
  return known.length === 0 || known.length < starts.length ? null : Math.min(...known)
}

/** A change as the caller sees it, and the region at the source of its server. */
export interface RegionalChange {
  readonly change: ServerChangeDto
  readonly region: string
}

interface Dependencies {
  readonly gaps: Pick<GapStore, 'between'>
  readonly clock: Clock
}

/** What people do through Muster, and what its checks find, happens when it is stored. */
const isReported = ({ request_id, task_id, kinds }: ServerChangeDto) =>
  request_id === '' && task_id === '' && !kinds.includes('check')

/** Tells of each change since when nobody had looked, if it was found after a gap. */
export function createMarkChanges({ gaps, clock }: Dependencies) {
  return async function markChanges(
    found: readonly RegionalChange[],
    requester: Requester,
  ): Promise<ServerChangeDto[]> {
    const reported = found.map(({ change }) => change).filter(isReported)
    if (reported.length === 0) return found.map(({ change }) => change)
    const times = reported.map(({ time }) => Date.parse(time))
    const known = await gaps.between(
      { from: Math.min(...times), until: Math.max(...times), now: clock() },
      requester,
      [...new Set(reported.map(({ account_id: id }) => id))],
    )
    return found.map(({ change, region }) => {
      if (!isReported(change)) return change
      const at = { accountId: change.account_id, region, time: Date.parse(change.time) }
      const since = notObservedSince(known, at)
      return since === null ? change : { ...change, not_observed_since: timestamp(since) }
    })
  }
}
export type MarkChanges = ReturnType<typeof createMarkChanges>
