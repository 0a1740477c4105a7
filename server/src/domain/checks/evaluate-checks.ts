import { PlatformError } from '../error.ts'
import type { Server } from '@muster/contract'
import type { Clock } from '../clock.ts'
import { chunk } from '../chunk.ts'
import { createMatchesServer, matchesState } from '../inventory/history/matches-server.ts'
import type { ServerChange } from '../inventory/history/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import { background, type ServerFinder, type ServerWriter } from '../inventory/ports.ts'
import { nextTurn } from '../next-turn.ts'
import type { Position } from '../query/marker.ts'
import { covers } from '../scope.ts'
import type { AccountStore } from '../sources/ports.ts'
import { definitionOf, type CheckDefinition, type ServerDefinition } from './check-definition.ts'
import { createCheckEvaluation, Superseded, type CheckEvaluation } from './check-evaluation.ts'
import { scopeOfCheck, type CheckRecord } from './check-record.ts'
import type { EvaluatedCheck, EvaluationStore, Subject, SubjectKind } from './evaluation-ports.ts'
import { createFindDuplicateAddresses } from './find-duplicate-addresses.ts'

interface Dependencies {
  readonly store: EvaluationStore
  readonly finder: Pick<ServerFinder, 'find' | 'position'>
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly owners: Owners
  readonly accounts: Pick<AccountStore, 'all'>
  readonly clock: Clock
  readonly onError: (check: CheckRecord, error: unknown) => void
}

/** With more changes than this, the whole query costs less than to look at each change. */
const mostChanges = 5_000
const changesAtOnce = 200
const subjectsAtOnce = 500

const subjectFrom = (server: Server): Subject => ({
  id: server.id,
  name: server.name,
  projectId: server.project_id,
  domainId: server.domain_id,
})

const day = 86_400_000

/** So long ago that changes since may have been purged. */
const isOld = ({ evaluated: { check } }: Run, now: number) => now - (check.evaluated_at ?? 0) > day

/** An evaluation that is under way. */
interface Run {
  readonly evaluated: EvaluatedCheck
  readonly definition: CheckDefinition
  readonly evaluation: CheckEvaluation
}

/** Finds out which servers and accounts violate the enabled checks, and since when. */
export function createEvaluateChecks({ store, finder, owners, ...others }: Dependencies) {
  const { serverWriter, accounts, clock, onError } = others
  const findDuplicateAddresses = createFindDuplicateAddresses(store, serverWriter)

  /** Pages of the servers that match now, in the order of their ids. */
  async function* findMatching(check: CheckRecord, definition: ServerDefinition) {
    const order = [{ field: 'id', descending: false }] as const
    const { state, where, predicate } = definition
    const query = {
      scope: scopeOfCheck(check),
      state,
      where,
      order,
      limit: subjectsAtOnce,
      offset: 0,
    }
    let after: Position | undefined
    for (;;) {
      const page = await finder.find({ ...query, after, requester: background, isStreamed: true })
      const subjects = await store.subjects(page.found.map(({ seq }) => seq))
      const last = subjects.at(-1)
      const matching = predicate ? await keepMatching(subjects, predicate) : subjects
      yield { subjects: matching, upTo: page.hasMore ? last?.id : undefined }
      if (!page.hasMore || !last) return
      after = { keys: [last.id], id: last.id }
    }
  }

  async function keepMatching(
    subjects: readonly Subject[],
    predicate: NonNullable<ServerDefinition['predicate']>,
  ): Promise<readonly Subject[]> {
    const kept = new Set<string>()
    for (const piece of chunk(
      subjects.map(({ id }) => id),
      100,
    )) {
      for (const { id, server } of (await serverWriter.findStored(piece)).values()) {
        if (predicate(server)) kept.add(id)
      }
      await nextTurn()
    }
    return subjects.filter(({ id }) => kept.has(id))
  }

  /** All subjects between two ids: the others no longer match. */
  async function compareRange(
    { evaluated: { check }, evaluation }: Run,
    kind: SubjectKind,
    subjects: readonly Subject[],
    [from, upTo]: readonly [string, string | undefined],
    now: number,
  ): Promise<void> {
    const matching = new Set(subjects.map(({ id }) => id))
    evaluation.load(await store.lasting(check.id, kind, [...matching]))
    for (const subject of subjects) evaluation.match(subject, now)
    await evaluation.flush()
    for (let after = from; ;) {
      const lasting = await store.lastingBetween(check.id, kind, after, upTo, subjectsAtOnce)
      evaluation.load(lasting)
      for (const { subject_id } of lasting) {
        if (!matching.has(subject_id)) evaluation.unmatch(subject_id, now)
      }
      await evaluation.flush()
      if (lasting.length < subjectsAtOnce) return
      after = lasting.at(-1)?.subject_id ?? after
    }
  }

  async function evaluateWhole(run: Run, now: number): Promise<void> {
    const { definition, evaluated } = run
    if (definition.kind === 'list') {
      const scope = scopeOfCheck(evaluated.check)
      const found = (await definition.find()).filter((subject) => covers(scope, subject))
      let from = ''
      const pages = [...chunk(found, subjectsAtOnce)]
      for (const [at, page] of (pages.length === 0 ? [[]] : pages).entries()) {
        const upTo = at < pages.length - 1 ? page.at(-1)?.id : undefined
        await compareRange(run, definition.subjects, page, [from, upTo], now)
        from = upTo ?? from
      }
      return
    }
    let from = ''
    for await (const { subjects, upTo } of findMatching(evaluated.check, definition)) {
      await compareRange(run, 'server', subjects, [from, upTo], now)
      from = upTo ?? from
    }
  }

  /** What one check makes of some changes, which are in the order of their commits. */
  async function applyChanges(
    { evaluated: { check }, definition, evaluation }: Run,
    changes: readonly ServerChange[],
    position: number,
  ): Promise<void> {
    if (definition.kind === 'list') return
    const scope = scopeOfCheck(check)
    const matches = createMatchesServer(definition.where, await owners.byProject())
    const isMatch = (server: Server) =>
      covers(scope, subjectFrom(server)) &&
      matchesState(server, definition.state) &&
      matches(server) &&
      (definition.predicate?.(server) ?? true)
    const ids = new Set(changes.flatMap(({ before, after }) => (after ?? before)?.id ?? []))
    evaluation.load(await store.lasting(check.id, 'server', [...ids]))
    for (const { after, before, record } of changes) {
      const { time } = record.position
      const id = (after ?? before)?.id
      if (after && isMatch(after)) evaluation.match(subjectFrom(after), time)
      else if (id !== undefined) evaluation.unmatch(id, time)
    }
    await evaluation.flush({ position })
  }

  /** Continues with those that succeed. */
  async function forEachRun(
    runs: readonly Run[],
    signal: AbortSignal | undefined,
    work: (run: Run) => Promise<void>,
  ) {
    const succeeded: Run[] = []
    for (const run of runs) {
      signal?.throwIfAborted()
      try {
        await work(run)
        succeeded.push(run)
      } catch (error) {
        if (error instanceof Superseded) continue
        await fail(run.evaluated.check, error)
      }
    }
    return succeeded
  }

  async function fail(check: CheckRecord, error: unknown): Promise<void> {
    onError(check, error)
    // Other errors can tell of the database, and everybody reads those of built-in checks.
    const text =
      error instanceof PlatformError
        ? error.message
        : 'The evaluation failed. The log has the reason.'
    await store.saveError(check, text)
  }

  async function evaluateChanges(
    runs: readonly Run[],
    [after, until]: readonly [number, number],
    signal: AbortSignal | undefined,
  ): Promise<Run[]> {
    let position = { commit: after, seq: -1 }
    let left = [...runs]
    for (;;) {
      const changes = await store.changesAfter(position, until, changesAtOnce)
      const last = changes.at(-1)
      if (!last || left.length === 0) return left
      const { commit } = last.record.position
      // A page can end within a commit. The rest of it, and this part again, come next: a server changes once in it.
      const done = changes.length < changesAtOnce ? commit : commit - 1
      left = await forEachRun(left, signal, (run) => applyChanges(run, changes, done))
      position = last.record.position
    }
  }

  async function begin(now: number): Promise<Run[]> {
    const context = {
      now,
      accounts: await accounts.all(),
      owners: await owners.byProject(),
      sharingAddresses: findDuplicateAddresses,
    }
    const runs: Run[] = []
    for (const evaluated of await store.enabled()) {
      try {
        const definition = definitionOf(evaluated.check, context)
        const kind = definition.kind === 'list' ? definition.subjects : 'server'
        const evaluation = createCheckEvaluation(store, evaluated, kind, now)
        runs.push({ evaluated, definition, evaluation })
      } catch (error) {
        await fail(evaluated.check, error)
      }
    }
    return runs
  }

  /** Opens violations whose grace time has passed. */
  async function openWaiting({ evaluated: { check }, evaluation }: Run, now: number) {
    for (;;) {
      const waiting = await store.waiting(check.id, now - check.grace * 1_000, subjectsAtOnce)
      evaluation.open(waiting)
      await evaluation.flush()
      if (waiting.length < subjectsAtOnce) return
    }
  }

  return async function evaluateChecks(signal?: AbortSignal): Promise<void> {
    const now = clock()
    // Read before the servers: what is committed meanwhile is evaluated again.
    const { first, last } = await store.commits()
    const runs = await begin(now)

    const isCurrent = ({ evaluated, definition }: Run) => evaluated.definition === definition.key
    const lists = runs.filter(({ definition }) => definition.kind === 'list')
    const queries = runs.filter(({ definition }) => definition.kind === 'query')
    const whole = [
      ...lists.filter(
        (run) =>
          !isCurrent(run) || (run.definition.kind === 'list' && run.definition.isAlwaysFound),
      ),
      ...queries.filter((run) => !isCurrent(run)),
    ]
    const done = lists.filter((run) => !whole.includes(run))

    const byPosition = Map.groupBy(queries.filter(isCurrent), ({ evaluated }) => evaluated.position)
    for (const [position, group] of byPosition) {
      const count = await store.countChanges(position, last, mostChanges)
      const isPurged = first > position + 1 && group.some((run) => isOld(run, now))
      if (isPurged || count >= mostChanges) whole.push(...group)
      else done.push(...(await evaluateChanges(group, [position, last], signal)))
    }
    done.push(...(await forEachRun(whole, signal, (run) => evaluateWhole(run, now))))

    const unchanged: EvaluatedCheck[] = []
    await forEachRun(done, signal, async (run) => {
      await openWaiting(run, now)
      const { definition, evaluation, evaluated } = run
      const progress = { definition: definition.key, position: last, evaluatedAt: now }
      if (evaluation.isChanged(definition.key)) await evaluation.flush({ progress })
      else unchanged.push(evaluated)
    })
    await store.saveProgress(unchanged, { position: last, evaluatedAt: now })
  }
}
