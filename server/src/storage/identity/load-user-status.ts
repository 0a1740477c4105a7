import type { Directory } from '../../domain/identity/ports.ts'
import type { UserRecord } from '../../domain/identity/records.ts'
import { readBoolean } from '../boolean.ts'
import type { Database } from '../database.ts'
import { domainColumns, toDomain } from './domain-columns.ts'
import { createLoadAssignments } from './load-assignments.ts'

export function createLoadUserStatus(database: Database): Directory['loadUserStatus'] {
  const { db } = database
  const { loadAssignments } = createLoadAssignments(database)

  async function loadUser(id: string): Promise<UserRecord | undefined> {
    const row = await db
      .selectFrom('users')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .where('users.id', '=', id)
      .select([
        'users.id',
        'users.name',
        'users.displayname',
        'users.email',
        'users.mobile',
        'users.enabled',
        'users.password_expires_at',
        'users.expires_at',
        'users.default_project_id',
        ...domainColumns('domains'),
      ])
      .executeTakeFirst()
    return (
      row && {
        id: row.id,
        name: row.name,
        displayname: row.displayname,
        email: row.email,
        mobile: row.mobile,
        enabled: readBoolean(row.enabled),
        domain: toDomain(row),
        defaultProjectId: row.default_project_id,
        passwordExpiresAt: row.password_expires_at,
        expiresAt: row.expires_at,
      }
    )
  }

  return async function loadUserStatus(userId) {
    const user = await loadUser(userId)
    return user && { user, assignments: await loadAssignments({ kind: 'user', id: userId }) }
  }
}
