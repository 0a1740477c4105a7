import type { ReportedFacts } from '@muster/server/source-port'
import { stamp } from './random-hash.ts'

/** An acted-on server keeps these facts: the life cycle no longer changes them. */
const fixedNames = [
  'name',
  'status',
  'created_at',
  'vcpu_count',
  'vmem_size',
  'instance_type',
  'flavor_id',
  'flavor_uuid',
  'shutdown_behavior',
  'boot_order',
  'disable_delete',
] as const

export type FixedFacts = Pick<ReportedFacts, (typeof fixedNames)[number]>

/** The last change of a server by a request. Times are milliseconds since 1970. */
export interface ActedChange {
  readonly before: FixedFacts
  readonly startedAt: number
  /** The transitional statuses, and when each ends. */
  readonly steps: readonly { readonly status: string; readonly until: number }[]
  /** The facts after the last step; absent if the server is deleted then. */
  readonly after?: FixedFacts
}

/** What requests did to a server. Stored as JSON in the state of the account. */
export interface ActedServer {
  /** How many requests were valid, including those that were made to fail. */
  readonly calls: number
  /** Absent if all of them failed. */
  readonly change?: ActedChange
}

export const toFixedFacts = (facts: ReportedFacts): FixedFacts =>
  Object.fromEntries(fixedNames.map((name) => [name, facts[name]])) as unknown as FixedFacts

const timesOf = ({ startedAt, steps }: ActedChange) => [
  startedAt,
  ...steps.map(({ until }) => until),
]

/**
 * Whether the visible state of the server changed after one time and up to another, without a new request.
 */
export const changesBetween = ({ change }: ActedServer, from: number, to: number): boolean =>
  change !== undefined && timesOf(change).some((time) => time > from && time <= to)

/** The facts of a server that requests have changed; undefined once it is deleted. */
export function factsAfter(
  change: ActedChange,
  pure: ReportedFacts,
  time: number,
): ReportedFacts | undefined {
  const step = change.steps.find(({ until }) => time < until)
  const fixed = step ? { ...change.before, status: step.status } : change.after
  if (!fixed) return undefined
  const changedAt = timesOf(change).findLast((at) => at <= time) ?? change.startedAt
  const updated_at = [pure.updated_at ?? '', stamp(changedAt, 0)].toSorted().at(-1) ?? ''
  const { notes = {}, ...facts } = pure
  return { ...facts, ...fixed, updated_at, notes: fixed.status === 'unknown' ? notes : {} }
}
