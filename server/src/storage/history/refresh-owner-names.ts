import { sql } from 'kysely'
import type { Owners } from '../../domain/inventory/owners.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'

type OwnersByProject = Awaited<ReturnType<Owners['byProject']>>

/**
 * Keeps the names of projects and domains in a moment those of today, by which lists are ordered. Ids take the
 * place of keys, which must be unique while names are exchanged.
 */
export function createRefreshOwnerNames(
  { db, commit }: DatabaseReader & DatabaseWriter,
  owners: Pick<Owners, 'byProject'>,
) {
  let written: { readonly owners: OwnersByProject; readonly end: Promise<unknown> } | undefined

  async function write(current: OwnersByProject): Promise<void> {
    const rows = sql`from json_each(${JSON.stringify([...current.values()])})`
    const value = (name: string) => sql`value ->> ${sql.lit(name)}`
    const rename = sql`on conflict (id) do update set name = excluded.name`
    const statements = [
      // Those that were deleted since have no name today.
      sql`update domains set name = '', name_key = id`,
      sql`update projects set name = '', name_key = id`,
      sql`insert into domains (id, name, name_key, enabled, created_at)
        select distinct ${value('domainId')}, ${value('domain')}, ${value('domainId')}, 1, 0 ${rows}
        where true ${rename}`,
      sql`insert into projects (id, domain_id, name, name_key, enabled, created_at)
        select ${value('projectId')}, ${value('domainId')}, ${value('project')}, ${value('projectId')}, 1, 0 ${rows}
        where true ${rename}`,
    ]
    await commit(statements.map((statement) => statement.compile(db)))
  }

  /** Writes nothing unless identities have changed. */
  return async function refreshOwnerNames(): Promise<void> {
    const current = await owners.byProject()
    if (written?.owners !== current) written = { owners: current, end: write(current) }
    const { end } = written
    try {
      await end
    } catch (error) {
      if (written.end === end) written = undefined
      throw error
    }
  }
}
