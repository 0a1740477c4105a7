import { sql } from 'kysely'
import { loginFailed, PlatformError } from '../../domain/error.ts'
import type { ChangePlan, Registry } from '../../domain/identity/administration/registry.ts'
import { conflicted, retryOnConflict } from '../../domain/retry-on-conflict.ts'
import { required, type DatabaseReader, type IdentityWriter, type Statements } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { findDomainsWithFewBreakGlass } from '../identity/local-passwords.ts'
import { usedBefore } from '../identity/token-preconditions.ts'
import { Violation } from '../violation.ts'
import { findAdministrator } from './find-administrator.ts'
import { createChangeStatements } from './change-statements.ts'

const lastAdministrator = 'administrator'
const lastWithPassword = 'administrator with a password'
const fewBreakGlass = 'break-glass users'

/** Commits every change of identity resources. */
export function createApplyChange(
  database: DatabaseReader & IdentityWriter,
): Registry['applyChange'] {
  const { db } = database
  const toStatement = createChangeStatements(database)
  const insertEvent = createInsertEvent(db)
  let turn: Promise<unknown> = Promise.resolve()

  async function currentVersion(): Promise<number> {
    const { version } = await db
      .selectFrom('identity_version')
      .select('version')
      .executeTakeFirstOrThrow()
    return version
  }

  /**
   * Requires that an administrator remains who needs no identity provider. If there was none before,
   * any; if there was not even that, nobody.
   */
  async function requireAdministrator(): Promise<Statements> {
    const searches = [
      [findAdministrator(db, 'password'), lastWithPassword],
      [findAdministrator(db, 'any'), lastAdministrator],
    ] as const
    for (const [search, reason] of searches) {
      if (await search.executeTakeFirst()) return [required(search.compile(), reason)]
    }
    return []
  }

  /** Requires that domains keep enough break-glass users, except where they had too few before. */
  async function requireBreakGlass(): Promise<Statements> {
    const search = findDomainsWithFewBreakGlass(db)
    const before = await search.execute()
    const ids = before.map(({ id }) => id)
    const others = ids.length === 0 ? search : search.where('domains.id', 'not in', ids)
    const none = sql`select 1 as one where not exists ${others}`.compile(db)
    return [required(none, fewBreakGlass)]
  }

  /** False after a conflict with another change: nothing was written. */
  async function write({ writes, events }: ChangePlan<unknown>, version: number): Promise<boolean> {
    const statements = [
      ...writes.map(toStatement),
      ...events.map(insertEvent),
      ...(await requireAdministrator()),
      ...(await requireBreakGlass()),
    ]
    try {
      await database.commitIdentity(statements, version)
      return true
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      const refusal = refusals.get(error.reason)
      if (refusal !== undefined) throw new PlatformError('ConflictError', refusal)
      if (error.reason === usedBefore) throw loginFailed('used before')
      if (error.kind === 'precondition') return false
      throw error
    }
  }

  /** Changes of this process run one by one; another process can still commit in between. */
  async function planAndWrite<Result>(
    makePlan: () => Promise<ChangePlan<Result>>,
  ): Promise<Result> {
    const { result } = await retryOnConflict(
      async () => {
        const version = await currentVersion()
        const plan = await makePlan()
        const isDone = plan.writes.length === 0 || (await write(plan, version))
        return isDone ? plan : undefined
      },
      { exhausted: () => conflicted('The identity data') },
    )
    return result
  }

  return function applyChange(plan) {
    const mine = turn.then(() => planAndWrite(plan))
    turn = mine.catch(() => {})
    return mine
  }
}

const refusals: ReadonlyMap<string | undefined, string> = new Map([
  [
    lastAdministrator,
    'This would remove the last system administrator. First give another user the role "admin" on the system and a role in a project.',
  ],
  [
    lastWithPassword,
    'This would remove the last system administrator who can log in with a password of Muster, and so without an identity provider. First give another such user the role "admin" on the system and a role in a project.',
  ],
  [
    fewBreakGlass,
    'This would leave the domain fewer than two break-glass users who are enabled, do not expire and have a password. It needs them as long as its local passwords are for break-glass users only.',
  ],
])
