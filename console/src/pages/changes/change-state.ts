import type { ChangeKind, ScopeParameter } from '@muster/contract'
import type { ChangeFilter } from '../../api/queries/changes.ts'
import { scopeValues, withoutEmpty } from '../../inventory/list-state.ts'
import { statusGroups } from '../../servers/status.ts'
import { readMoment } from '../../url/read-moment.ts'
import type { Search } from '../../url/search.ts'

/** The spans that end now. */
export const spans = ['-24h', '-7d', '-30d'] as const
export type Span = (typeof spans)[number]

export const defaultSpan: Span = '-7d'

export const isSpan = (text: string): text is Span => spans.some((span) => span === text)

/** The state of the page, stored in the address so that it can be shared. */
export interface ChangeState extends ChangeFilter {
  /** The projects whose changes are shown, each as `2026-05-04/<id of the project>`. */
  readonly open: readonly string[]
}

const listed = (text: string | undefined): readonly string[] =>
  [...new Set((text ?? '').split(','))].filter((part) => part !== '')

/** Unknown kinds are left out. */
export function readChangeState(search: Search, kinds: readonly ChangeKind[]): ChangeState {
  const named = listed(search['kind'])
  return {
    q: search['q'] ?? '',
    scope: scopeValues.find((scope): scope is ScopeParameter => scope === search['scope']) ?? 'max',
    kinds: kinds.filter((kind) => named.includes(kind)),
    newStatus: statusGroups.find((group) => group === search['new_status']),
    since: search['since']?.trim() || defaultSpan,
    until: search['until']?.trim() || undefined,
    open: listed(search['open']),
  }
}

/** Default values are left out to keep addresses short. */
export const writeChangeState = ({
  q,
  scope,
  kinds,
  newStatus,
  since,
  until,
  open,
}: ChangeState): Search =>
  withoutEmpty({
    q,
    scope: scope === 'max' ? undefined : scope,
    kind: kinds.join(','),
    new_status: newStatus,
    since: since === defaultSpan ? undefined : since,
    until,
    open: open.join(','),
  })

/** A time as the API takes it. */
export const toTimestamp = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

/** The filter for one local day of the period. */
export function filterOfDay(filter: ChangeFilter, day: string, now: number): ChangeFilter {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const start = new Date(year, month - 1, date).getTime()
  const end = new Date(year, month - 1, date + 1).getTime()
  const { since, until, ...others } = filter
  const from = readMoment(since, now)
  const to = until === undefined ? undefined : readMoment(until, now)
  return {
    ...others,
    since: toTimestamp(Math.max(start, from ?? start)),
    until: toTimestamp(Math.min(end, to ?? end)),
  }
}
