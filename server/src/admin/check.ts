import type { Kysely } from 'kysely'
import type { Config } from '../config/read-config.ts'
import { checkForeignKeys } from '../storage/check/check-foreign-keys.ts'
import { checkIntegrity } from '../storage/check/check-integrity.ts'
import { checkOrphans } from '../storage/check/check-orphans.ts'
import { checkSearch } from '../storage/check/check-search.ts'
import type { Check } from '../storage/check/check.ts'
import { listEncryptedValues } from '../storage/encrypted-values.ts'
import { findKeyFingerprints } from '../storage/key-fingerprint.ts'
import { listMigrations } from '../storage/migrations/migrate.ts'
import type { Tables } from '../storage/tables.ts'
import { secretKeyExists } from '../vault/key-file.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import type { AdminCommand } from './command.ts'
import { inspectDatabase } from './inspect-database.ts'
import { readArguments } from './read-arguments.ts'

const checkSchema: Check = async (db) => {
  const { executed, pending } = await listMigrations(db)
  return {
    checked: `${executed.length} migrations`,
    problems: pending.map((name) => `the migration ${name} is missing: run "muster admin migrate"`),
  }
}

const createCheckKey =
  ({ secretKeyFile }: Config): Check =>
  async (db) => {
    const values = await listEncryptedValues(db)
    const checked = `${values.length} encrypted values`
    if (!secretKeyExists(secretKeyFile)) {
      return { checked, problems: [`the secret key ${secretKeyFile} is missing`] }
    }
    const key = loadSecretKey(secretKeyFile)
    const fingerprints = await findKeyFingerprints(db)
    key.follow(() => fingerprints ?? '')
    const problem = key.problem()
    if (problem !== undefined) return { checked, problems: [problem] }
    const unreadable = values.filter(({ value, context }) => {
      try {
        key.decrypt(value, context)
        return false
      } catch {
        return true
      }
    })
    return { checked, problems: unreadable.map(({ title }) => `cannot decrypt the ${title}`) }
  }

/** A check that fails, for example on a damaged file, is a problem as well. */
const run = async (check: Check, db: Kysely<Tables>, isFull: boolean) =>
  await check(db).catch((error: unknown) => {
    const { message } = error as Error
    // With a full disk, SQLite cannot even read unless the server is running.
    if (isFull && message.includes('disk')) throw error
    return { checked: 'failed', problems: [message] }
  })

/** Whether the disk of a SQLite database is full: then a failed check does not mean damage. */
async function findFullDisk({ databaseUrl, dataDir }: Config): Promise<string | undefined> {
  if (databaseUrl !== undefined) return undefined
  const { diskFull, isDiskFull } = await import('../storage/sqlite/explain-opening.ts')
  return isDiskFull(dataDir) ? diskFull(dataDir).message : undefined
}

export const check: AdminCommand = {
  name: 'check',
  summary: 'Check the database for damage, missing rows and unreadable secrets. Changes nothing.',
  usage: '',
  examples: ['check   exit status 1 if there are problems'],

  async run(args, config, io) {
    readArguments(args, {})
    const print = (line: string) => io.stdout.write(`${line}\n`)
    const checks = {
      integrity: checkIntegrity,
      'foreign keys': checkForeignKeys,
      schema: checkSchema,
      'orphaned rows': checkOrphans,
      servers: checkSearch,
      secrets: createCheckKey(config),
    }
    let count = 0
    await inspectDatabase(config, async (connection) => {
      const full = await findFullDisk(config)
      if (full !== undefined) {
        print(`PROBLEM  disk\n         ${full}`)
        count += 1
      }
      const snapshot = connection.transaction().setIsolationLevel('repeatable read')
      const checking = snapshot.execute(async (db) => {
        for (const [name, check] of Object.entries(checks)) {
          const { checked, problems } = await run(check, db, full !== undefined)
          print(`${problems.length === 0 ? 'ok     ' : 'PROBLEM'}  ${name.padEnd(13)}  ${checked}`)
          for (const problem of problems) print(`         ${problem}`)
          count += problems.length
          // The other checks need the tables of this version.
          if (name === 'schema' && problems.length > 0) return
        }
      })
      // SQLite may end the transaction at a damaged page. Then it cannot be committed.
      await checking.catch((error: unknown) => {
        if (count === 0) throw error
      })
    })
    print(count === 0 ? 'No problems found.' : `Problems found: ${count}`)
    return count === 0 ? 0 : 1
  },
}
