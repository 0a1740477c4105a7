import type { Check, CheckViolation } from '@muster/contract'
import type { Scope } from '../scope.ts'
import { timestamp, timestampOrNull } from '../timestamp.ts'

/** A stored check. Times are milliseconds since 1970. */
export interface CheckRecord extends Omit<
  Check,
  'violations' | 'evaluated_at' | 'created_at' | 'updated_at'
> {
  readonly evaluated_at: number | null
  readonly created_at: number
  readonly updated_at: number
  /** Raised by each change, and by each commit of the evaluation. */
  readonly revision: number
}

/** A check with the number of open violations that the caller can access. */
export interface CountedCheck {
  readonly check: CheckRecord
  readonly violations: number
}

/** An interval in which a server or an account matched. */
export interface ViolationRecord extends Omit<
  CheckViolation,
  'since' | 'opened_at' | 'until' | 'is_open'
> {
  readonly since: number
  /** Null until the grace time is over. */
  readonly opened_at: number | null
  /** Null while it lasts. */
  readonly until: number | null
}

/** The servers that a check is about. */
export function scopeOfCheck({
  project_id: projectId,
  domain_id: domainId,
}: Pick<CheckRecord, 'project_id' | 'domain_id'>): Scope {
  if (projectId !== '') return { kind: 'project', projectId, domainId }
  return domainId === '' ? { kind: 'system' } : { kind: 'domain', domainId }
}

export const describeCheck = ({ check, violations }: CountedCheck): Check => ({
  id: check.id,
  name: check.name,
  description: check.description,
  severity: check.severity,
  q: check.q,
  grace: check.grace,
  enabled: check.enabled,
  built_in: check.built_in,
  project_id: check.project_id,
  domain_id: check.domain_id,
  violations,
  evaluated_at: timestampOrNull(check.evaluated_at),
  error: check.error,
  created_at: timestamp(check.created_at),
  updated_at: timestamp(check.updated_at),
})

export const describeViolation = (violation: ViolationRecord): CheckViolation => ({
  id: violation.id,
  subject_kind: violation.subject_kind,
  subject_id: violation.subject_id,
  name: violation.name,
  project_id: violation.project_id,
  domain_id: violation.domain_id,
  since: timestamp(violation.since),
  opened_at: timestamp(violation.opened_at ?? violation.since),
  until: timestampOrNull(violation.until),
  is_open: violation.until === null,
})
