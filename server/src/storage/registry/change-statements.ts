import { sql, type Kysely } from 'kysely'
import type { TokenOwner, Write } from '../../domain/identity/administration/registry.ts'
import type { Grant } from '../../domain/identity/administration/resources.ts'
import { newId } from '../../domain/new-id.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { toFactorStatement } from '../identity/factor-statements.ts'
import { forgetFailures } from '../identity/login-guard.ts'
import { createPreconditionStatements } from '../identity/token-preconditions.ts'
import { toScopeColumns } from '../identity/token-scope-columns.ts'
import { ownedBy } from '../servers/owned-by.ts'
import { scopeColumns } from './related-to.ts'
import { tableOf, toRow, type Row } from './resource-columns.ts'

/** The columns that identify an assignment. */
const grantColumns = ({ roleId, holder, scope }: Grant) => ({
  role_id: roleId,
  user_id: holder.kind === 'user' ? holder.id : null,
  group_id: holder.kind === 'group' ? holder.id : null,
  ...scopeColumns(scope),
})

/** Compiles the writes of a change plan. */
export function createChangeStatements(database: DatabaseReader) {
  const { db } = database
  const { useOnceStatement } = createPreconditionStatements(database)
  // Without column types, because the table is chosen at run time.
  const open = db as unknown as Kysely<Record<string, Row>>

  const matching = (grant: Grant) =>
    Object.entries(grantColumns(grant)).reduce(
      (query, [column, value]) =>
        query.where(column as 'role_id', 'is not distinct from', value as string),
      db.deleteFrom('assignments'),
    )

  function endTokens(of: TokenOwner, id: string) {
    const tokens = db.deleteFrom('tokens')
    switch (of) {
      case 'user':
        return tokens.where('user_id', '=', id)
      case 'project':
        return tokens.where('project_id', '=', id)
      case 'access-key':
        return tokens.where('access_key_id', '=', id)
      case 'provider':
        return tokens.where('provider_id', '=', id)
      case 'refused-password':
        return tokens
          .where('method', '=', 'password')
          .where('provider_id', 'is', null)
          .where('user_id', 'in', (eb) =>
            eb
              .selectFrom('users')
              .select('id')
              .where('domain_id', '=', id)
              .where('break_glass', '=', 0),
          )
      case 'domain':
        return tokens.where((eb) =>
          eb.or([
            eb('domain_id', '=', id),
            eb(
              'project_id',
              'in',
              eb.selectFrom('projects').select('id').where('domain_id', '=', id),
            ),
            eb('user_id', 'in', eb.selectFrom('users').select('id').where('domain_id', '=', id)),
          ]),
        )
    }
  }

  return function toStatement(write: Write): Statement {
    switch (write.do) {
      case 'insert':
        return open.insertInto(tableOf(write.kind)).values(toRow(write.kind, write.row)).compile()
      case 'update':
        return open
          .updateTable(tableOf(write.kind))
          .set(toRow(write.kind, write.changes))
          .where('id', '=', write.id)
          .compile()
      case 'delete':
        return open.deleteFrom(tableOf(write.kind)).where('id', '=', write.id).compile()
      case 'grant':
        return db
          .insertInto('assignments')
          .values({
            id: newId(),
            ...grantColumns(write.grant),
            provider_id: write.providerId ?? null,
          })
          .compile()
      case 'revoke': {
        const { providerId } = write
        const assignment = matching(write.grant)
        return (
          providerId === undefined ? assignment : assignment.where('provider_id', '=', providerId)
        ).compile()
      }
      case 'join':
        return db
          .insertInto('group_members')
          .values({ group_id: write.groupId, user_id: write.userId })
          .compile()
      case 'leave':
        return db
          .deleteFrom('group_members')
          .where('group_id', '=', write.groupId)
          .where('user_id', '=', write.userId)
          .compile()
      case 'bind':
        return db
          .insertInto('role_policies')
          .values({ role_id: write.roleId, policy_id: write.policyId })
          .compile()
      case 'unbind':
        return db
          .deleteFrom('role_policies')
          .where('role_id', '=', write.roleId)
          .where('policy_id', '=', write.policyId)
          .compile()
      case 'link-password': {
        const { userId: user_id, hash, expiresAt: expires_at, creator } = write
        const link = {
          hash,
          expires_at,
          created_by: creator.userId,
          access_key_id: creator.accessKeyId,
          ...toScopeColumns(creator.scope),
        }
        return db
          .insertInto('password_links')
          .values({ user_id, ...link })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(link))
          .compile()
      }
      case 'unlink-password':
        return db.deleteFrom('password_links').where('user_id', '=', write.userId).compile()
      case 'forget-failures':
        return forgetFailures(db, write.userId)
      case 'revoke-tokens':
        return endTokens(write.of, write.id).compile()
      case 'end-logins': {
        const { providerId, session, userId } = write
        let tokens = db.deleteFrom('tokens').where('provider_id', '=', providerId)
        if (session !== undefined) tokens = tokens.where('provider_session', '=', session)
        if (userId !== undefined) tokens = tokens.where('user_id', '=', userId)
        return tokens.compile()
      }
      case 'use-once':
        return useOnceStatement(write.singleUse)
      case 'require-no-servers': {
        const servers = sql`select 1 from servers where ${ownedBy(write.of, write.id)}`
        return required(sql`select 1 as one where not exists (${servers})`.compile(db), 'servers')
      }
      case 'link': {
        const { providerId: provider_id, userId: user_id, subject, confirmedAt } = write.link
        const row = { provider_id, subject, user_id, confirmed_at: confirmedAt }
        return db.insertInto('subjects').values(row).compile()
      }
      case 'unlink':
        return db
          .deleteFrom('subjects')
          .where('provider_id', '=', write.link.providerId)
          .where('subject', '=', write.link.subject)
          .compile()
      case 'factors':
        return toFactorStatement(db, write.write)
      case 'mark-ended':
        return db
          .updateTable('subjects')
          .set({ ended_at: write.endedAt })
          .where('provider_id', '=', write.link.providerId)
          .where('subject', '=', write.link.subject)
          .compile()
    }
  }
}
