import type { LocalPasswordRule } from '@muster/contract'
import { sql } from 'kysely'
import type { Confirmation, TokenPreconditions, SingleUse } from '../../domain/identity/ports.ts'
import type { TokenRecord, TokenScope } from '../../domain/identity/records.ts'
import { required, type DatabaseReader, type Statement } from '../database.ts'
import { createStatementTemplate } from '../statement-template.ts'
import { useFactorStatement } from './factor-statements.ts'
import { mayUsePassword } from './local-passwords.ts'

/** "Last used" is not updated more often than this. */
const sameTimestamp = 1_000
const sameLogin = 60_000

/** The reason of the violation where a credential was used before. */
export const usedBefore = 'spent'

interface Held {
  readonly userId: string
  readonly scopeId: string
  readonly passwordHash: string
  readonly rule: LocalPasswordRule
}

/** Statements in the commit of a token. If one of them finds no row, nothing is written. */
export function createPreconditionStatements(database: DatabaseReader) {
  const { db } = database
  const isPostgres = database.engine === 'postgres'

  /**
   * The user and the scope still exist and are enabled. The rows stay locked until the token is
   * written: a concurrent change either comes first, or revokes the token.
   */
  const createHold = (kind: TokenScope['kind'], withPassword: boolean) =>
    createStatementTemplate<Held>(['userId', 'scopeId', 'passwordHash', 'rule'], (held) => {
      const { userId, scopeId, passwordHash, rule } = held
      let query = db
        .selectFrom('users')
        .innerJoin('domains', 'domains.id', 'users.domain_id')
        .select('users.id')
        .where('users.id', '=', userId)
        .where('users.enabled', '=', 1)
        .where('domains.enabled', '=', 1)
      if (withPassword) {
        query = query
          .where('users.password_hash', '=', passwordHash)
          // A login across the switch would be no break-glass login yet, and so no alert.
          .where('domains.local_passwords', '=', rule)
          .where(mayUsePassword)
      }
      if (kind === 'project') {
        query = query
          .innerJoin('projects', (join) => join.onTrue())
          .innerJoin('domains as scope_domain', 'scope_domain.id', 'projects.domain_id')
          .where('projects.id', '=', scopeId)
          .where('projects.enabled', '=', 1)
          .where('scope_domain.enabled', '=', 1)
      }
      if (kind === 'domain') {
        query = query
          .innerJoin('domains as scope_domain', (join) => join.onTrue())
          .where('scope_domain.id', '=', scopeId)
          .where('scope_domain.enabled', '=', 1)
      }
      return (isPostgres ? query.forShare() : query).compile()
    })
  const createHolds = (withPassword: boolean) => ({
    none: createHold('none', withPassword),
    project: createHold('project', withPassword),
    domain: createHold('domain', withPassword),
  })
  const holds = createHolds(false)
  const holdsWithPassword = createHolds(true)

  function requireActiveUserAndScope(
    { userId, scope }: TokenRecord,
    password?: TokenPreconditions['password'],
  ): Statement {
    const scopeId = scope.kind === 'none' ? '' : scope.id
    const kinds = password ? holdsWithPassword : holds
    const held = {
      userId,
      scopeId,
      passwordHash: password?.hash ?? '',
      rule: password?.isRestricted ? ('break_glass' as const) : ('on' as const),
    }
    return required(kinds[scope.kind](held), 'userStatus')
  }

  const createRequireEnabled = (table: 'access_keys' | 'identity_providers') => {
    const template = createStatementTemplate<{ id: string }>(['id'], ({ id }) => {
      const query = db.selectFrom(table).select('id').where('id', '=', id).where('enabled', '=', 1)
      return (isPostgres ? query.forShare() : query).compile()
    })
    return (id: string) => required(template({ id }), table)
  }
  const holdAccessKey = createRequireEnabled('access_keys')
  const holdProvider = createRequireEnabled('identity_providers')

  const noteUse = createStatementTemplate<{ id: string; ip: string; now: number; before: number }>(
    ['id', 'ip', 'now', 'before'],
    ({ id, ip, now, before }) =>
      db
        .updateTable('access_keys')
        .set({ last_used_at: now, last_used_ip: ip })
        .where('id', '=', id)
        .where((eb) =>
          eb.or([
            eb('last_used_at', 'is', null),
            eb('last_used_at', '<=', before),
            eb('last_used_ip', '<>', ip),
          ]),
        )
        .compile(),
  )

  const noteLogin = createStatementTemplate<{ id: string; now: number; before: number }>(
    ['id', 'now', 'before'],
    ({ id, now, before }) =>
      db
        .updateTable('users')
        .set({ last_login_at: now })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_login_at', 'is', null), eb('last_login_at', '<=', before)]))
        .compile(),
  )

  const noteConfirmation = createStatementTemplate<Confirmation & { userId: string }>(
    ['providerId', 'subject', 'at', 'userId'],
    ({ providerId, subject, at, userId }) =>
      db
        .updateTable('subjects')
        // A token that was issued before the last one must not turn the time back.
        .set({
          confirmed_at: sql<number>`case when confirmed_at < ${at} then ${at} else confirmed_at end`,
        })
        .where('provider_id', '=', providerId)
        .where('subject', '=', subject)
        .where('user_id', '=', userId)
        .compile(),
  )

  /** Of concurrent uses of one credential exactly one succeeds, also between processes. */
  const useOnce = createStatementTemplate<{
    id: string
    address: string
    at: number
    since: number
  }>(['id', 'address', 'at', 'since'], ({ id, address, at, since }) =>
    db
      .insertInto('spent')
      .values({ id, address, spent_at: at })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ address })
          .where('spent.address', '=', address)
          .where(sql<boolean>`spent.spent_at > ${since}`),
      )
      .returning('id')
      .compile(),
  )

  /** Without a grace period every repeat is a second use. */
  function useOnceStatement({ id, address, at, grace }: SingleUse): Statement {
    const since = grace === 0 ? Number.MAX_SAFE_INTEGER : at - grace
    return required(useOnce({ id, address, at, since }), usedBefore)
  }

  function preconditionStatements(
    token: TokenRecord,
    preconditions: TokenPreconditions,
  ): Statement[] {
    const { password, accessKeyId, confirmation, singleUse, factorUse } = preconditions
    const { userId, ip, issuedAt: now } = token
    const statements = [requireActiveUserAndScope(token, password)]
    // As below, before the row is share-locked.
    if (token.parentId === null) {
      statements.unshift(noteLogin({ id: userId, now, before: now - sameLogin }))
    }
    if (accessKeyId !== undefined) {
      // Updated before it is share-locked: two transactions that share the lock first could not
      // upgrade it.
      statements.push(noteUse({ id: accessKeyId, ip, now, before: now - sameTimestamp }))
      statements.push(holdAccessKey(accessKeyId))
    }
    if (confirmation) {
      statements.push(holdProvider(confirmation.providerId))
      statements.push(required(noteConfirmation({ ...confirmation, userId }), 'subjects'))
    }
    if (singleUse) statements.push(useOnceStatement(singleUse))
    if (factorUse) statements.push(useFactorStatement(db, factorUse, now))
    return statements
  }

  return { preconditionStatements, useOnceStatement }
}
