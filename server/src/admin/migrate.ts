import { openStorage } from '../composition/open-storage.ts'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import { createCacheMemory } from '../domain/cache.ts'
import { listMigrations } from '../storage/migrations/migrate.ts'
import type { AdminCommand } from './command.ts'
import { inspectDatabase } from './inspect-database.ts'
import { readArguments } from './read-arguments.ts'

const progressInterval = 5_000

async function readMigrations(config: Config) {
  let migrations: Awaited<ReturnType<typeof listMigrations>> | undefined
  await inspectDatabase(config, async (db) => {
    migrations = await listMigrations(db)
  })
  if (!migrations || migrations.executed.length === 0) {
    throw new ConfigError('the database is empty: the first start of the server creates its tables')
  }
  return migrations
}

export const migrateCommand: AdminCommand = {
  name: 'migrate',
  summary: 'Upgrade the tables to this version, as the next start of the server would.',
  usage: '[--dry-run]',
  examples: [
    'migrate --dry-run   list what would be done, and change nothing',
    'migrate   back up first, and stop the server',
  ],

  async run(args, config, io) {
    const { flags } = readArguments(args, { options: { 'dry-run': 'flag' } })
    const print = (line: string) => io.stdout.write(`${line}\n`)
    const { executed, pending } = await readMigrations(config)
    print(`The database has ${executed.length} migrations, the last one is ${executed.at(-1)}.`)
    if (pending.length === 0) {
      print('It is up to date.')
      return 0
    }
    for (const name of pending) print(`Pending: ${name}`)
    if (flags.has('dry-run')) return 0

    const start = Date.now()
    const seconds = () => Math.round((Date.now() - start) / 1_000)
    const timer = setInterval(() => {
      io.stderr.write(`Migrating for ${seconds()} s …\n`)
    }, progressInterval)
    try {
      const memory = createCacheMemory(config.cacheMemory * 2 ** 20)
      const { database } = await openStorage(config, memory)
      await database.close()
    } finally {
      clearInterval(timer)
    }
    print(`Migrated in ${seconds()} s. The server rewrites stored servers after its next start.`)
    return 0
  },
}
