import type { OwnerDirectory } from '../domain/inventory/ports.ts'
import type { DatabaseReader } from './database.ts'

/** Projects and their domains by name. */
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
})
