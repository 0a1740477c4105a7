import type { EventRecord } from '../audit/event.ts'
import type { ServerChange } from '../inventory/history/ports.ts'
import type { CheckRecord, ViolationRecord } from './check-record.ts'

/** An enabled check, and how far it is evaluated. */
export interface EvaluatedCheck {
  readonly check: CheckRecord
  /** A digest of what was evaluated last. Empty: nothing was. */
  readonly definition: string
  /** The last commit of servers that was evaluated. */
  readonly position: number
}

/** Who can violate a check. */
export interface Subject {
  readonly id: string
  readonly name: string
  readonly projectId: string
  readonly domainId: string
}
export type SubjectKind = ViolationRecord['subject_kind']

/** How far a check is evaluated now. */
export interface Progress {
  readonly definition: string
  readonly position: number
  readonly evaluatedAt: number
}

/** A violation before and after a step of the evaluation. It begins without `stored`, and is removed without `record`. */
export interface ViolationWrite {
  readonly stored: ViolationRecord | undefined
  readonly record: ViolationRecord | undefined
}

/** A server that begins or ceases to violate a check, for its history. */
export interface ToldViolation extends Pick<
  ViolationRecord,
  'subject_id' | 'project_id' | 'domain_id'
> {
  readonly isOpen: boolean
}

/** What one commit of an evaluation writes. */
export interface EvaluationStep {
  readonly writes: readonly ViolationWrite[]
  readonly told: readonly ToldViolation[]
  /** The last commit of servers that is evaluated with this step. */
  readonly position?: number
  readonly progress?: Progress
  readonly event?: EventRecord
}

export interface EvaluationStore {
  /** False if another process began to evaluate after this time. */
  claim(now: number, since: number): Promise<boolean>
  enabled(): Promise<readonly EvaluatedCheck[]>
  /** The positions of the first and the last commit of servers; 0 if there is none. */
  commits(): Promise<{ readonly first: number; readonly last: number }>
  /** How many changes of servers there are after a commit, up to another one; `most` if there are more. */
  countChanges(after: number, until: number, most: number): Promise<number>
  /** Changes of servers in the order of their commits, without those that checks caused. */
  changesAfter(
    after: { readonly commit: number; readonly seq: number },
    until: number,
    limit: number,
  ): Promise<readonly ServerChange[]>
  /** Servers by their numbers, as far as they exist, in the order of their ids. */
  subjects(seqs: readonly number[]): Promise<readonly Subject[]>
  /** Ids of servers in use that have an address and a network in common with another one. */
  sharingAddresses(): Promise<readonly string[]>
  /** Violations that last, of these subjects. */
  lasting(
    checkId: string,
    kind: SubjectKind,
    ids: readonly string[],
  ): Promise<readonly ViolationRecord[]>
  /** Violations that last, in the order of the ids of their subjects: after one id, up to another one. */
  lastingBetween(
    checkId: string,
    kind: SubjectKind,
    after: string,
    until: string | undefined,
    limit: number,
  ): Promise<readonly ViolationRecord[]>
  /** Violations that last and began at this time or earlier, but are not open yet. */
  waiting(checkId: string, since: number, limit: number): Promise<readonly ViolationRecord[]>
  /** Commits a step. Returns false, and writes nothing, if the check was changed meanwhile. */
  save(check: CheckRecord, revision: number, step: EvaluationStep): Promise<boolean>
  /** Records that these checks were evaluated without a change. */
  saveProgress(
    checks: readonly EvaluatedCheck[],
    progress: Omit<Progress, 'definition'>,
  ): Promise<void>
  saveError(check: CheckRecord, error: string): Promise<void>
  /** Deletes violations that ended before this time. */
  purge(before: number): Promise<void>
}
