import { maxChecksPerOwner } from '@muster/contract'
import { sql, type Selectable } from 'kysely'
import type { CheckRecord } from '../../domain/checks/check-record.ts'
import type { CheckStore, WriteResult } from '../../domain/checks/ports.ts'
import { nameKey } from '../../domain/name-key.ts'
import {
  required,
  type DatabaseReader,
  type DatabaseWriter,
  type Row,
  type Statement,
  type Statements,
} from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { createListRows } from '../list-rows.ts'
import { allOf } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'
import {
  checkColumns,
  checkFields,
  countOf,
  isViolatedBy,
  toCheck,
  toViolation,
  violationColumns,
  violationFields,
  visibleChecks,
  visibleViolations,
} from './check-rows.ts'

/** The columns that users change. */
const changeable = (check: CheckRecord) => ({
  name: check.name,
  name_key: nameKey(check.name),
  description: check.description,
  severity: check.severity,
  q: check.q,
  grace: check.grace,
  enabled: check.enabled ? 1 : 0,
  updated_at: check.updated_at,
  revision: check.revision,
})

const orNull = (id: string) => (id === '' ? null : id)

const room = 'room'

const toCounted = (row: Row) => ({
  check: toCheck(row as unknown as Selectable<Tables['checks']>),
  violations: Number(row['open']),
})

/** Stores checks. Each change is committed with its audit event. */
export function createCheckStore(database: DatabaseReader & DatabaseWriter): CheckStore {
  const { db, engine } = database
  const insertEvent = createInsertEvent(db)
  const listRows = createListRows(database)

  async function commit(statements: Statements): Promise<WriteResult> {
    try {
      await database.commit(statements)
      return 'done'
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      if (error.kind === 'unique') return 'name-taken'
      return error.reason === room ? 'full' : 'changed'
    }
  }

  /** Two concurrent inserts can exceed the limit by one, which does no harm. */
  const requireRoom = ({ project_id, domain_id }: CheckRecord) =>
    required(
      sql`select 1 as one where (select count(*) from checks where built_in = 0
        and coalesce(project_id, '') = ${project_id} and coalesce(domain_id, '') = ${domain_id})
        < ${sql.lit(maxChecksPerOwner)}`.compile(db),
      room,
    )

  /** Nobody would notice when the violations of a check that is switched off end. */
  function endViolations({ id, updated_at: until }: CheckRecord): Statement[] {
    const beginning = { evaluated_at: null, evaluated_definition: '', position: 0, error: '' }
    const lasting = sql`check_id = ${id} and until is null`
    return [
      db.updateTable('checks').set(beginning).where('id', '=', id).compile(),
      sql`delete from check_violations where ${lasting} and opened_at is null`.compile(db),
      sql`update check_violations set until = ${until} where ${lasting}`.compile(db),
    ]
  }

  return {
    async list(visibility, { requester, violatedBy, ...query }) {
      const violated =
        violatedBy === undefined ? [] : [isViolatedBy(engine, visibility, violatedBy)]
      const source = {
        columns: sql`checks.*, ${countOf(visibility)} as open`,
        from: sql`checks`,
        conditions: [visibleChecks(visibility), ...violated],
        fields: checkColumns(engine, visibility),
        searched: checkFields.searched,
        // Violations are counted for each check.
        indexed: 'none' as const,
        id: sql.ref('checks.id'),
      }
      return await listRows(source, query, toCounted, { requester })
    },

    async find(visibility, id) {
      const conditions = allOf([visibleChecks(visibility), sql`checks.id = ${id}`])
      const { rows } = await sql<Row>`select checks.*, ${countOf(visibility)} as open
        from checks where ${conditions}`.execute(db)
      return rows[0] && toCounted(rows[0])
    },

    async listViolations(visibility, checkId, { requester, ...query }) {
      const source = {
        columns: sql`check_violations.*`,
        from: sql`check_violations`,
        conditions: [sql`check_violations.check_id = ${checkId}`, visibleViolations(visibility)],
        fields: violationColumns(engine),
        searched: violationFields.searched,
        indexed: 'none' as const,
        id: sql.ref('check_violations.id'),
      }
      const toItem = (row: Row) => toViolation(row as unknown as Tables['check_violations'])
      return await listRows(source, query, toItem, { requester })
    },

    insert: (check, event) =>
      commit([
        requireRoom(check),
        db
          .insertInto('checks')
          .values({
            ...changeable(check),
            id: check.id,
            built_in: 0,
            project_id: orNull(check.project_id),
            domain_id: orNull(check.domain_id),
            created_at: check.created_at,
          })
          .compile(),
        insertEvent(event),
      ]),

    update(before, after, event) {
      const update = db
        .updateTable('checks')
        .set(changeable(after))
        .where('id', '=', before.id)
        .where('revision', '=', before.revision)
      const isSwitchedOff = before.enabled && !after.enabled
      return commit([
        required(update.compile(), 'revision'),
        ...(isSwitchedOff ? endViolations(after) : []),
        insertEvent(event),
      ])
    },

    remove(check, event) {
      const remove = db
        .deleteFrom('checks')
        .where('id', '=', check.id)
        .where('revision', '=', check.revision)
      return commit([required(remove.compile(), 'revision'), insertEvent(event)])
    },
  }
}
