import type { KeyRestriction } from '@muster/contract'
import { sql } from 'kysely'
import type { AccessKeyStore } from '../../domain/identity/ports.ts'
import { readBoolean } from '../boolean.ts'
import type { DatabaseReader } from '../database.ts'
import { mayUsePassword } from './local-passwords.ts'

/** The restriction as its column stores it. */
export const readRestriction = (cell: string | null): KeyRestriction | null =>
  cell === null ? null : (JSON.parse(cell) as KeyRestriction)

/** When a user lost the password: at the time of the rule, or of the user's own if that is later. 0 for never. */
const lostPassword = sql<number>`(case
  when users.password_hash is null then coalesce(users.password_refused_at, 0)
  when users.password_refused_at > domains.local_passwords_since then users.password_refused_at
  else coalesce(domains.local_passwords_since, 0) end)`

/** Access keys as a login finds them. */
export const createAccessKeyStore = ({ db }: DatabaseReader): AccessKeyStore => ({
  async find(id) {
    const row = await db
      .selectFrom('access_keys')
      .innerJoin('users', 'users.id', 'access_keys.user_id')
      .innerJoin('domains', 'domains.id', 'users.domain_id')
      .where('access_keys.id', '=', id)
      .select([
        'access_keys.id',
        'access_keys.project_id',
        'access_keys.enabled',
        'access_keys.expires_at',
        'access_keys.secret',
        'access_keys.restriction',
        'users.id as user_id',
        'users.name as user_name',
        'users.domain_id',
        // Who has a password does not depend on a provider. Who lost it counts as confirmed then.
        sql<number | null>`(select case
            when users.password_hash is not null and ${mayUsePassword} then null
            when max(confirmed_at) < ${lostPassword} then ${lostPassword}
            else max(confirmed_at)
          end from subjects where subjects.user_id = users.id)`.as('confirmed_at'),
      ])
      .executeTakeFirst()
    return (
      row && {
        id: row.id,
        projectId: row.project_id,
        enabled: readBoolean(row.enabled),
        expiresAt: row.expires_at,
        restriction: readRestriction(row.restriction),
        encryptedSecret: row.secret,
        confirmedAt: row.confirmed_at,
        user: { id: row.user_id, name: row.user_name, domainId: row.domain_id },
      }
    )
  },
})
