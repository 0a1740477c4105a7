import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '../../domain/error.ts'
import type { Decision, Registry } from '../../domain/identity/administration/registry.ts'
import { required, type Database, type Statements } from '../database.ts'
import { createInsertEvent } from '../events.ts'
import { Violation } from '../violation.ts'
import { findAdministrator } from './administrator.ts'
import { createWrites } from './writes.ts'

/** Another process can get in between; this one takes its changes one by one. */
const mostTries = 20
const longestPause = 20
const lastAdministrator = 'administrator'

/** The one way in which anything that is administered changes. */
export function createChange(database: Database): Registry['change'] {
  const { db } = database
  const toStatement = createWrites(db)
  const insertEvent = createInsertEvent(db)
  let turn: Promise<unknown> = Promise.resolve()

  async function currentVersion(): Promise<number> {
    const { version } = await db
      .selectFrom('identity_version')
      .select('version')
      .executeTakeFirstOrThrow()
    return version
  }

  /** Where nobody could administer the platform before, this change is not to blame. */
  async function keepAdministrator(): Promise<Statements> {
    const search = findAdministrator(db)
    const isThere = (await search.executeTakeFirst()) !== undefined
    return isThere ? [required(search.compile(), lastAdministrator)] : []
  }

  /** False when something else changed meanwhile: then nothing was written. */
  async function write({ writes, events }: Decision<unknown>, version: number): Promise<boolean> {
    const statements = [
      ...writes.map(toStatement),
      ...events.map(insertEvent),
      ...(await keepAdministrator()),
    ]
    try {
      await database.commitIdentity(statements, version)
      return true
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      if (error.reason === lastAdministrator) throw nobodyLeft()
      if (error.kind === 'unmet') return false
      throw error
    }
  }

  async function tryToChange<Answer>(decide: () => Promise<Decision<Answer>>): Promise<Answer> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const version = await currentVersion()
      const decision = await decide()
      if (decision.writes.length === 0) return decision.answer
      if (await write(decision, version)) return decision.answer
      await pause(Math.random() * longestPause)
    }
    throw new PlatformError('ServiceUnavailable', 'Too much changes at once: try again shortly.', {
      retryAfter: 1,
    })
  }

  return function change(decide) {
    const mine = turn.then(() => tryToChange(decide))
    turn = mine.catch(() => {})
    return mine
  }
}

const nobodyLeft = () =>
  new PlatformError(
    'ConflictError',
    'That would leave nobody who can administer the platform: give somebody else the role "admin" on the system, and a role in a project, first.',
  )
