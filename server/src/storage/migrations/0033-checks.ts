import { sql, type Kysely } from 'kysely'
import {
  withCreatedAt,
  withEnabled,
  withId,
  withName,
  withReference,
  withText,
} from './column-types.ts'
import { engineOf } from './engine.ts'

const day = 86_400

/** Name, description, severity, `q` and grace time. The ids end with the number. */
const builtIn: readonly (readonly [string, string, string, string, number])[] = [
  ['No owner tag', 'Tag each server with its owner, as owner=NAME.', 'info', '-tag:owner', 0],
  [
    'Operating system past its end of life',
    'The vendor no longer publishes security updates for it. Upgrade it.',
    'warning',
    '',
    0,
  ],
  [
    'Stopped for 30 days',
    'Its disks still cost. Delete it, or keep it as an image.',
    'info',
    'status:ready',
    30 * day,
  ],
  [
    'Duplicate address in a network',
    'Two servers in use have the same address in the same network.',
    'critical',
    '',
    0,
  ],
  [
    'Unknown for a day',
    'The source does not report its status. Look at its cloud account.',
    'warning',
    'status:unknown',
    day,
  ],
  [
    'No project by rule',
    'No mapping rule of its account matched, so it is in the default project of the account.',
    'info',
    '',
    0,
  ],
  [
    'Expires within 7 days',
    'Its prepaid period ends, or has ended. Renew or replace it.',
    'warning',
    '',
    0,
  ],
  [
    'Running in the recycle bin',
    'It will be deleted although it runs. Stop it, or restore it.',
    'warning',
    '',
    0,
  ],
  [
    'Account failing or stale',
    'What Muster shows of its servers may be outdated. Look at the error of the cloud account.',
    'critical',
    '',
    900,
  ],
  [
    'Unreadable servers',
    'Muster cannot read some servers of the account. Its warnings name them.',
    'warning',
    '',
    0,
  ],
]

/** Saved queries that should match nothing, and the intervals in which they match something. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const isPostgres = engineOf(db) === 'postgres'
  await schema
    .createTable('checks')
    .$call(withId)
    .$call(withName)
    .$call((table) => withText(table, 'description'))
    .addColumn('severity', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'q'))
    .addColumn('grace', 'bigint', (column) => column.notNull())
    .$call(withEnabled)
    .addColumn('built_in', 'integer', (column) => column.notNull())
    .$call((table) => withReference(table, 'project_id', 'projects.id'))
    .$call((table) => withReference(table, 'domain_id', 'domains.id'))
    .addColumn('evaluated_at', 'bigint')
    .$call((table) => withText(table, 'error'))
    .$call(withCreatedAt)
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .$call((table) => withText(table, 'evaluated_definition'))
    .addColumn('position', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('claimed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create unique index checks_name on checks (
    coalesce(project_id, ''), coalesce(domain_id, ''), name_key
  )`.execute(db)
  await schema
    .createTable('check_violations')
    .$call(withId)
    .addColumn('check_id', 'text', (column) =>
      column.notNull().references('checks.id').onDelete('cascade'),
    )
    .addColumn('subject_kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .$call((table) => withText(table, 'project_id'))
    .$call((table) => withText(table, 'domain_id'))
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('opened_at', 'bigint')
    .addColumn('until', 'bigint')
    .execute()
  // In the order in which the evaluation reads them, whatever the collation of the database is.
  const id = sql.raw(isPostgres ? 'subject_id collate "C"' : 'subject_id')
  await sql`create unique index check_violations_open on check_violations
    (check_id, subject_kind, ${id}) where until is null`.execute(db)
  await sql`create index check_violations_owner on check_violations
    (check_id, domain_id, project_id, opened_at) where until is null`.execute(db)
  await sql`create index check_violations_waiting on check_violations (check_id, since)
    where until is null and opened_at is null`.execute(db)
  await sql`create index check_violations_until on check_violations (until)
    where until is not null`.execute(db)
  await sql`create index check_violations_since on check_violations (check_id, since)`.execute(db)

  const now = Date.now()
  for (const [at, [name, description, severity, q, grace]] of builtIn.entries()) {
    await sql`insert into checks (id, name, name_key, description, severity, q, grace, enabled,
        built_in, created_at, updated_at, revision)
      values (${`c${String(at + 1).padStart(31, '0')}`}, ${name}, ${name.toLowerCase()},
        ${description}, ${severity}, ${q}, ${grace}, 1, 1, ${now}, ${now}, 1)`.execute(db)
  }
}
