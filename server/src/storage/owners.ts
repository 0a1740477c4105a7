import type { OwnerDirectory } from '../domain/inventory/ports.ts'
import type { DatabaseReader } from './database.ts'

/** Projects and their domains by name, and the accounts that can be acted on. */
export const createOwnerDirectory = ({ db }: DatabaseReader): OwnerDirectory => ({
  all: () =>
    db
      .selectFrom('projects')
      .innerJoin('domains', 'domains.id', 'projects.domain_id')
      .select([
        'projects.id as projectId',
        'projects.name as project',
        'domains.id as domainId',
        'domains.name as domain',
      ])
      .execute(),

  async managedAccounts() {
    const rows = await db
      .selectFrom('cloudaccounts')
      .select('id')
      .where('access', '=', 'manage')
      .execute()
    return rows.map(({ id }) => id)
  },
})
