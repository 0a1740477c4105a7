import { loginFailed, PlatformError } from '../../domain/error.ts'
import type { ChangePlan, Registry } from '../../domain/identity/administration/registry.ts'
import { conflicted, retryOnConflict } from '../../domain/retry-on-conflict.ts'
import { required, type DatabaseReader, type IdentityWriter, type Statements } from '../database.ts'
import { createInsertEvent } from '../event-store.ts'
import { usedBefore } from '../identity/token-preconditions.ts'
import { Violation } from '../violation.ts'
import { findAdministrator } from './find-administrator.ts'
import { createChangeStatements } from './change-statements.ts'

const lastAdministrator = 'administrator'

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

  /** Requires that an administrator remains, unless there was none before. */
  async function requireAdministrator(): Promise<Statements> {
    const search = findAdministrator(db)
    const isThere = (await search.executeTakeFirst()) !== undefined
    return isThere ? [required(search.compile(), lastAdministrator)] : []
  }

  /** False after a conflict with another change: nothing was written. */
  async function write({ writes, events }: ChangePlan<unknown>, version: number): Promise<boolean> {
    const statements = [
      ...writes.map(toStatement),
      ...events.map(insertEvent),
      ...(await requireAdministrator()),
    ]
    try {
      await database.commitIdentity(statements, version)
      return true
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      if (error.reason === lastAdministrator) throw noAdministratorLeft()
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

const noAdministratorLeft = () =>
  new PlatformError(
    'ConflictError',
    'This would remove the last system administrator. First give another user the role "admin" on the system and a role in a project.',
  )
