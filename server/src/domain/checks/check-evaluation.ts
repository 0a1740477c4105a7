import { createEvent } from '../audit/create-event.ts'
import { newId } from '../new-id.ts'
import { scopeOfCheck, type ViolationRecord } from './check-record.ts'
import type {
  EvaluatedCheck,
  EvaluationStore,
  Progress,
  Subject,
  SubjectKind,
  ToldViolation,
  ViolationWrite,
} from './evaluation-ports.ts'

/** How far an evaluation is: within the changes, or at its end. */
interface Reached {
  readonly position?: number
  readonly progress?: Progress
}

/** The check was changed, or another process evaluates it. */
export class Superseded extends Error {}

const isOpen = (record: ViolationRecord | undefined): boolean =>
  record !== undefined && record.opened_at !== null && record.until === null

/** Servers that begin or end to violate the check. One that does both with the same owner has not changed. */
function toldOf(writes: readonly ViolationWrite[]): ToldViolation[] {
  const found = new Map<string, ToldViolation>()
  for (const { stored, record } of writes) {
    const violation = record ?? stored
    if (!violation || isOpen(stored) === isOpen(record)) continue
    const { subject_id, project_id, domain_id } = violation
    const key = `${subject_id} ${project_id}`
    if (found.has(key)) found.delete(key)
    else found.set(key, { subject_id, project_id, domain_id, isOpen: isOpen(record) })
  }
  return [...found.values()]
}

/**
 * One evaluation of one check. Servers are told to match, or not, in the order of time. What follows is collected
 * and committed in steps; a step that is repeated changes nothing.
 */
export function createCheckEvaluation(
  store: EvaluationStore,
  { check, definition }: EvaluatedCheck,
  kind: SubjectKind,
  now: number,
) {
  const grace = check.grace * 1_000
  const isFirst = check.evaluated_at === null
  let { revision } = check
  let [begun, ended] = [0, 0]
  /** By the id of the subject: its last violation. Earlier ones of the same step are in `closed`. */
  let known = new Map<string, ViolationWrite>()
  let closed: ViolationWrite[] = []

  const openedAt = (since: number) => (since + grace <= now ? since + grace : null)

  function begin({ id, name, projectId, domainId }: Subject, since: number): void {
    const before = known.get(id)
    if (before) closed.push(before)
    const record: ViolationRecord = {
      id: newId(),
      subject_kind: kind,
      subject_id: id,
      name,
      project_id: projectId,
      domain_id: domainId,
      since,
      opened_at: openedAt(since),
      until: null,
    }
    known.set(id, { stored: undefined, record })
  }

  /** A violation that ends within the grace time was none. */
  function end(id: string, { stored, record }: ViolationWrite, time: number): void {
    if (!record) return
    const until = Math.max(time, record.since)
    const opened_at = record.opened_at ?? record.since + grace
    known.set(id, {
      stored,
      record: opened_at <= until ? { ...record, opened_at, until } : undefined,
    })
  }

  const isLasting = (write: ViolationWrite | undefined): write is ViolationWrite =>
    write?.record?.until === null

  return {
    /** Adds violations that last, as they are stored. */
    load(violations: readonly ViolationRecord[]): void {
      for (const stored of violations) {
        if (!known.has(stored.subject_id)) known.set(stored.subject_id, { stored, record: stored })
      }
    },

    /** The subject matches since a time, if it did not before with the same owner. */
    match(subject: Subject, time: number): void {
      const last = known.get(subject.id)
      if (!isLasting(last)) return begin(subject, time)
      const { project_id, domain_id } = last.record as ViolationRecord
      if (project_id === subject.projectId && domain_id === subject.domainId) return
      end(subject.id, last, time)
      begin(subject, time)
    },

    /** The subject no longer matches. */
    unmatch(id: string, time: number): void {
      const last = known.get(id)
      if (isLasting(last)) end(id, last, time)
    },

    /** Opens violations whose grace time is over. */
    open(violations: readonly ViolationRecord[]): void {
      for (const stored of violations) {
        const record = { ...stored, opened_at: openedAt(stored.since) }
        known.set(stored.subject_id, { stored, record })
      }
    },

    /** Commits what was collected, with the last commit of servers that it follows from. */
    async flush({ progress, position }: Reached = {}): Promise<void> {
      const writes = [...closed, ...known.values()].filter(
        ({ stored, record }) => stored !== record,
      )
      ;[known, closed] = [new Map(), []]
      if (writes.length === 0 && progress === undefined) return
      const told = toldOf(writes)
      begun += told.filter((each) => each.isOpen).length
      ended += told.filter((each) => !each.isOpen).length
      const isTold = progress !== undefined && !isFirst && begun + ended > 0
      const event = createEvent({
        user: undefined,
        origin: { ip: '', requestId: '', isConfidential: false },
        action: {
          action: 'evaluate',
          targetType: 'check',
          targetId: check.id,
          targetName: check.name,
          scope: scopeOfCheck(check),
          changes: { violations_begun: [null, begun], violations_ended: [null, ended] },
        },
        result: 'success',
        time: now,
      })
      const isSaved = await store.save(check, revision, {
        writes,
        told: isFirst || kind !== 'server' ? [] : told,
        ...(progress && { progress }),
        ...(position !== undefined && { position }),
        ...(isTold && { event }),
      })
      if (!isSaved) throw new Superseded()
      revision += 1
    },

    /** Whether something is to be committed when the evaluation ends. */
    isChanged: (current: string) => current !== definition || revision !== check.revision,
  }
}
export type CheckEvaluation = ReturnType<typeof createCheckEvaluation>
