import { sql, type Selectable } from 'kysely'
import type { CheckRecord } from '../../domain/checks/check-record.ts'
import type {
  EvaluationStep,
  EvaluationStore,
  ToldViolation,
} from '../../domain/checks/evaluation-ports.ts'
import type { Clock } from '../../domain/clock.ts'
import { toBits } from '../../domain/inventory/history/change-kinds.ts'
import { checkDiff } from '../../domain/inventory/history/check-changes.ts'
import { background } from '../../domain/inventory/ports.ts'
import {
  required,
  type DatabaseReader,
  type DatabaseWriter,
  type Row,
  type Statement,
} from '../database.ts'
import { deleteInBatches, purgeBatchSize } from '../delete-in-batches.ts'
import { createInsertEvent } from '../event-store.ts'
import { createChangeStore } from '../history/change-store.ts'
import { recordCommit } from '../history/commit-record.ts'
import { raiseFleetVersion } from '../server-versions.ts'
import { createNumbers } from '../servers/numbers.ts'
import { allOf, among, byCodePoint, codeOf, everything } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'
import { toCheck, toViolation } from './check-rows.ts'

const checkKind = toBits(['check'])

const toRecords = (rows: readonly Row[]) =>
  rows.map((row) => toViolation(row as unknown as Tables['check_violations']))

/** What the evaluation of checks reads and writes. Its slow queries run in the background. */
export function createEvaluationStore(
  database: DatabaseReader & DatabaseWriter,
  clock: Clock,
): EvaluationStore {
  const { db, engine, run } = database
  const insertEvent = createInsertEvent(db)
  const changes = createChangeStore(database)
  const takeNumbers = createNumbers(database)
  const byId = byCodePoint(engine, sql.ref('subject_id'))

  /**
   * Changes of the servers in their history. They are made from the rows as this commit finds them, after it has its
   * version. A server that has just moved does not begin to violate the check for its former owner. Its end is one
   * change for both owners.
   */
  async function tellAlike(
    check: CheckRecord,
    told: readonly ToldViolation[],
    isOpen: boolean,
  ): Promise<Statement[]> {
    const { revision } = await takeNumbers({ revision: 1 })
    const groups = Map.groupBy(told, (each) => `${each.project_id} ${each.domain_id}`)
    const rows = [...groups.values()].map((group) => {
      const { project_id, domain_id } = group[0] as ToldViolation
      const ids = group.map(({ subject_id }) => subject_id)
      const [project, domain] = [codeOf(project_id), codeOf(domain_id)]
      const owned = isOpen
        ? sql`project_id = ${project} and domain_id = ${domain}`
        : sql`${project} >= 0 and ${domain} >= 0`
      return sql`insert into server_changes
          (revision, server, kinds, account, project, domain, former_project, former_domain, former_updated_at, diff)
        select ${sql.lit(revision)}, seq, ${sql.lit(checkKind)}, account_id, project_id, domain_id,
          nullif(${project}, project_id), nullif(${domain}, domain_id), updated_at,
          ${JSON.stringify(checkDiff(check, isOpen))}
        from servers where ${among(sql.ref('id'), ids)} and state <> 2 and ${owned}`.compile(db)
    })
    return [raiseFleetVersion(db), ...recordCommit(database, revision, clock()), ...rows]
  }

  /** A server has one change in a commit, but can end a violation and begin another one. */
  async function tell(check: CheckRecord, told: readonly ToldViolation[]): Promise<Statement[]> {
    const statements: Statement[] = []
    for (const isOpen of [false, true]) {
      const alike = told.filter((each) => each.isOpen === isOpen)
      if (alike.length > 0) statements.push(...(await tellAlike(check, alike, isOpen)))
    }
    return statements
  }

  function writesOf(check: CheckRecord, { writes }: EvaluationStep): Statement[] {
    const removed = writes.flatMap(({ stored, record }) => (stored && !record ? [stored.id] : []))
    const updates = writes.flatMap(({ stored, record }) =>
      stored && record
        ? [
            db
              .updateTable('check_violations')
              .set({ opened_at: record.opened_at, until: record.until })
              .where('id', '=', record.id)
              .compile(),
          ]
        : [],
    )
    const inserts = writes.flatMap(({ stored, record }) =>
      !stored && record
        ? [
            db
              .insertInto('check_violations')
              .values({ ...record, check_id: check.id })
              .compile(),
          ]
        : [],
    )
    const remove = db.deleteFrom('check_violations').where('id', 'in', removed).compile()
    // A subject has one violation that lasts, so the former one ends before the next begins.
    return [...(removed.length > 0 ? [remove] : []), ...updates, ...inserts]
  }

  return {
    async claim(now, since) {
      const [result] = await database.commit([
        db.updateTable('checks').set({ claimed_at: now }).where('claimed_at', '<', since).compile(),
      ])
      return (result?.changes ?? 0) > 0
    },

    async enabled() {
      const rows = await db.selectFrom('checks').selectAll().where('enabled', '=', 1).execute()
      return rows.map((row: Selectable<Tables['checks']>) => ({
        check: toCheck(row),
        definition: row.evaluated_definition,
        position: row.position,
      }))
    },

    async commits() {
      const { rows } = await sql<Row>`select
        (select min(position) from change_commits where position > 0) as first,
        (select max(position) from change_commits) as last`.execute(db)
      const [row] = rows
      return { first: Number(row?.['first'] ?? 0), last: Math.max(0, Number(row?.['last'] ?? 0)) }
    },

    async countChanges(after, until, most) {
      const found = sql`select count(*) as n from (select 1 from change_commits
        inner join server_changes as changed on changed.revision = change_commits.revision
        where position > ${after} and position <= ${until} and kinds <> ${checkKind}
        limit ${most}) as found`
      const [[row] = []] = await run([found.compile(db)], background)
      return Number(row?.['n'])
    },

    async changesAfter(after, until, limit) {
      const found = await changes.listBetween(after, until, limit, background)
      return await changes.withVersions(found, background)
    },

    async subjects(seqs) {
      if (seqs.length === 0) return []
      const ownerOf = (column: string) =>
        sql`(select word from words where code = ${sql.ref(`servers.${column}`)})`
      const found = sql`select id, name, ${ownerOf('project_id')} as project,
        ${ownerOf('domain_id')} as domain from servers where ${among(sql.ref('seq'), seqs)}`
      const [rows = []] = await run([found.compile(db)], background)
      return rows
        .map((row) => ({
          id: String(row['id']),
          name: String(row['name']),
          projectId: String(row['project']),
          domainId: String(row['domain']),
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },

    async sharingAddresses() {
      const shared = sql`select network, address from server_addresses
        inner join server_networks on server_networks.server = server_addresses.server
        where server_addresses.state = 0 group by network, address having count(*) > 1`
      const found = sql`select distinct servers.id from (${shared}) as shared
        inner join server_addresses on server_addresses.address = shared.address
        inner join server_networks on server_networks.server = server_addresses.server
          and server_networks.network = shared.network
        inner join servers on servers.seq = server_addresses.server
        where server_addresses.state = 0`
      const [rows = []] = await run([found.compile(db)], background)
      return rows.map((row) => String(row['id']))
    },

    async lasting(checkId, kind, ids) {
      if (ids.length === 0) return []
      const found = sql`select * from check_violations where check_id = ${checkId}
        and subject_kind = ${kind} and ${among(byId, ids)} and until is null`
      const [rows = []] = await run([found.compile(db)], background)
      return toRecords(rows)
    },

    async lastingBetween(checkId, kind, after, until, limit) {
      const isBefore = until === undefined ? everything : sql`${byId} <= ${until}`
      const conditions = [
        sql`check_id = ${checkId}`,
        sql`subject_kind = ${kind}`,
        sql`${byId} > ${after}`,
        isBefore,
        sql`until is null`,
      ]
      const found = sql`select * from check_violations where ${allOf(conditions)}
        order by ${byId} limit ${limit}`
      const [rows = []] = await run([found.compile(db)], background)
      return toRecords(rows)
    },

    async waiting(checkId, since, limit) {
      const { rows } = await sql<Row>`select * from check_violations where check_id = ${checkId}
        and since <= ${since} and until is null and opened_at is null limit ${limit}`.execute(db)
      return toRecords(rows)
    },

    async save(check, revision, step) {
      const { position, progress, event, told } = step
      const update = db
        .updateTable('checks')
        .set({
          revision: revision + 1,
          ...(position !== undefined && { position }),
          ...(progress && {
            evaluated_definition: progress.definition,
            position: progress.position,
            evaluated_at: progress.evaluatedAt,
            error: '',
          }),
        })
        .where('id', '=', check.id)
        .where('revision', '=', revision)
      try {
        await database.commit([
          required(update.compile(), 'revision'),
          ...writesOf(check, step),
          ...(event ? [insertEvent(event)] : []),
          // Other commits of servers wait from here on.
          ...(await tell(check, told)),
        ])
        return true
      } catch (error) {
        if (error instanceof Violation) return false
        throw error
      }
    },

    async saveProgress(evaluated, { position, evaluatedAt }) {
      if (evaluated.length === 0) return
      await database.commit(
        evaluated.map(({ check: { id, revision } }) =>
          db
            .updateTable('checks')
            .set({ position, evaluated_at: evaluatedAt, error: '' })
            .where('id', '=', id)
            .where('revision', '=', revision)
            .compile(),
        ),
      )
    },

    async saveError({ id }, error) {
      const text = error.slice(0, 1_000)
      await database.commit([
        db.updateTable('checks').set({ error: text }).where('id', '=', id).compile(),
      ])
    },

    async purge(before) {
      const ended = sql`select id from check_violations where until < ${before} limit ${purgeBatchSize}`
      await deleteInBatches(
        database,
        sql`delete from check_violations where id in (${ended})`.compile(db),
      )
    },
  }
}
