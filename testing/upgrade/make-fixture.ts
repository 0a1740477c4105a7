import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Engine } from '../../server/src/testing/engines.ts'
import { repository, spawnMuster } from '../../server/src/testing/spawn-muster.ts'
import { startPostgres } from '../postgres.ts'
import { readAnswers } from './answers.ts'
import { dumpPostgres } from './dump-postgres.ts'
import { adminPassword, createState } from './create-state.ts'
import { stateFolder, writeState } from './state.ts'

/**
 * npm run fixture -- NAME [CHECKOUT]
 *
 * Runs the Muster in a checkout (this one, unless another is named), fills it through its API, and keeps
 * its database and its answers for upgrade.slow.test.ts.
 */
const [name, checkout = repository] = process.argv.slice(2)
if (name === undefined) throw new Error('npm run fixture -- NAME [CHECKOUT]')
mkdirSync(join(stateFolder, name), { recursive: true })

const demo = ['--demo', '--demo-servers=24']

async function make(name: string, engine: Engine): Promise<void> {
  const ends: (() => unknown)[] = []
  const lifetime = { after: (work: () => unknown) => ends.unshift(work) }
  const folder = mkdtempSync(join(tmpdir(), 'muster-fixture-'))
  lifetime.after(() => rmSync(folder, { recursive: true }))
  const postgres = engine === 'postgres' ? await startPostgres() : undefined
  lifetime.after(() => postgres?.stop())

  const command = [process.execPath, resolve(checkout, 'server/muster.js')]
  // Older versions have no commands.
  if (existsSync(resolve(checkout, 'server/src/cli'))) command.push('serve')
  const start = async (flags: readonly string[]) =>
    await spawnMuster(lifetime, {
      // Not every version knows the setting.
      command: ['env', '-u', 'MUSTER_CONSOLE_BUILD', ...command],
      flags: [
        `--data-dir=${folder}`,
        `--secret-key-file=${folder}/secret.key`,
        '--source-allow=localhost,127.0.0.1',
        ...(postgres ? [`--database-url=${postgres.url}`] : []),
        ...flags,
      ],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
  // The oldest versions have neither a demo nor a console.
  const muster = await start([...demo, '--console-build=false'])
    .catch(() => start(demo))
    .catch(() => start([]))
  const state = await createState(muster.baseUrl, lifetime)
  const answers = await readAnswers(muster.baseUrl, state.tokens)
  const takenAt = Date.now()
  await muster.end('SIGINT')

  const secretKey = readFileSync(join(folder, 'secret.key'), 'utf8')
  const data = postgres ? Buffer.from(await dumpPostgres(postgres.url)) : readFile(folder)
  writeState(name, engine, data, { ...state, takenAt, secretKey, answers })
  for (const end of ends) await end()
}

/** The SQLite database in this folder, without its free pages and its log. */
function readFile(folder: string): Buffer {
  const copy = join(folder, 'copy.db')
  const database = new DatabaseSync(join(folder, 'muster.db'))
  database.prepare('vacuum into ?').run(copy)
  database.close()
  return readFileSync(copy)
}

for (const engine of ['sqlite', 'postgres'] as const) await make(name, engine)
