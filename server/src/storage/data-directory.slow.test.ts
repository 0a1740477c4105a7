import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { loginAdmin } from '../testing/client.ts'
import { createTestDatabase } from '../testing/engines.ts'
import {
  runMuster,
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Exit,
} from '../testing/spawn-muster.ts'
import { adminPassword } from '../testing/start-platform.ts'
import { prepareDataDirectory } from './data-directory.ts'

const environment = { MUSTER_ADMIN_PASSWORD: adminPassword }
const modeOf = (path: string) => statSync(path).mode & 0o777

/** The modes of a folder's files, in octal, by name. */
const modesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [file, modeOf(join(folder, file)).toString(8)]),
  )

function assertRefused(exit: Exit, line: RegExp): void {
  assert.equal(exit.code, 1)
  assert.equal(exit.stdout, '')
  assert.match(exit.stderr, /^muster: [^\n]+\n$/)
  assert.match(exit.stderr, line)
}

describe('the data directory', { concurrency: 2 }, () => {
  test('SEC-66: has mode 0700 and files of mode 0600, whatever the umask, and no files elsewhere', async (t) => {
    const dataDir = join(temporaryFolder(t), 'deep', 'data')
    const shared = temporaryFolder(t)
    const muster = await spawnMuster(t, {
      flags: [`--data-dir=${dataDir}`],
      environment: { ...environment, TMPDIR: shared },
      umask: 0o000,
    })
    await loginAdmin(muster.authUrl)
    const running = modesIn(dataDir)
    for (const file of [
      'muster.db',
      'muster.db-shm',
      'muster.db-wal',
      'muster.lock',
      'secret.key',
    ]) {
      assert.ok(file in running, `no ${file}`)
    }
    assert.deepEqual([...new Set(Object.values(running))], ['600'])
    assert.equal(modeOf(dataDir).toString(8), '700')
    await muster.end('SIGTERM')
    assert.deepEqual([...new Set(Object.values(modesIn(dataDir)))], ['600'])
    // Code cached there, under a name known beforehand, would be code that others can provide.
    assert.deepEqual(readdirSync(shared), [], 'in the folder for temporary files')
  })

  test('SEC-66: has the secret key with mode 0600 when the data is in PostgreSQL', async (t) => {
    const folder = join(temporaryFolder(t), 'keys')
    await spawnMuster(t, {
      flags: [
        `--database-url=${await createTestDatabase()}`,
        `--secret-key-file=${folder}/secret.key`,
      ],
      environment,
      umask: 0o000,
    })
    assert.deepEqual(modesIn(folder), { 'secret.key': '600' })
    assert.equal(modeOf(folder).toString(8), '700')
  })

  describe('that others can read', { concurrency: 1 }, () => {
    const lifetime = suiteLifetime()
    let dataDir: string
    before(async () => {
      dataDir = join(temporaryFolder(lifetime), 'data')
      const muster = await spawnMuster(lifetime, { flags: [`--data-dir=${dataDir}`], environment })
      await muster.end('SIGKILL')
    })

    const start = () => runMuster(lifetime, ['--port=0', `--data-dir=${dataDir}`])

    test('SEC-66: stops the start with a line that names the directory', async () => {
      chmodSync(dataDir, 0o755)
      const exit = await start()
      chmodSync(dataDir, 0o700)
      assertRefused(exit, /(?:readable by|accessible to) other users.*chmod 700/)
      assert.ok(exit.stderr.includes(dataDir))
    })

    test('SEC-66: is rejected for each of its files, whether the group or others can read it', async () => {
      const files = readdirSync(dataDir)
      assert.ok(files.includes('muster.db-wal'), 'a killed process leaves its log')
      const usual = process.umask()
      try {
        for (const file of files) {
          for (const mode of [0o640, 0o604, 0o620, 0o602]) {
            chmodSync(join(dataDir, file), mode)
            assert.throws(
              () => prepareDataDirectory(dataDir),
              ({ message }: Error) =>
                message.includes(join(dataDir, file)) && message.includes('chmod 600'),
            )
          }
          chmodSync(join(dataDir, file), 0o600)
        }
      } finally {
        process.umask(usual)
      }
    })

    test('SEC-66: stops the start with a line that names the file', async () => {
      const key = join(dataDir, 'secret.key')
      chmodSync(key, 0o644)
      const exit = await start()
      chmodSync(key, 0o600)
      assertRefused(exit, /secret\.key.*chmod 600/)
    })

    test('SEC-66: is accepted again after chmod', async () => {
      const muster = await spawnMuster(lifetime, { flags: [`--data-dir=${dataDir}`] })
      await loginAdmin(muster.authUrl)
    })
  })

  test('SEC-66: gets mode 0700 while it is empty', (t) => {
    const folder = temporaryFolder(t)
    const usual = process.umask()
    t.after(() => process.umask(usual))
    for (const mode of [0o755, 0o777, 0o750]) {
      const empty = join(folder, mode.toString(8))
      mkdirSync(empty)
      chmodSync(empty, mode)
      prepareDataDirectory(empty)
      assert.equal(modeOf(empty).toString(8), '700')
    }
  })
})

describe('the secret key', () => {
  const lifetime = suiteLifetime()
  let dataDir: string
  let key: string
  before(async () => {
    dataDir = join(temporaryFolder(lifetime), 'data')
    key = join(dataDir, 'secret.key')
    const muster = await spawnMuster(lifetime, { flags: [`--data-dir=${dataDir}`], environment })
    await muster.end('SIGTERM')
  })

  const data = () => readFileSync(join(dataDir, 'muster.db')).toString('base64')
  const start = () => runMuster(lifetime, ['--port=0', `--data-dir=${dataDir}`])

  test('REL-23: stops the start before the data changes when it is missing, wrong or damaged', async () => {
    const untouched = data()
    const kept = `${key}.kept`
    renameSync(key, kept)

    assertRefused(await start(), /secret\.key is missing/)
    assert.ok(!existsSync(key), 'a new key would look as if all were well')

    writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 })
    assertRefused(await start(), /secret\.key does not belong to this database/)

    writeFileSync(key, 'nonsense', { mode: 0o600 })
    assertRefused(await start(), /secret\.key must contain 32 bytes/)
    assert.equal(readFileSync(key, 'utf8'), 'nonsense')
    assert.equal(data(), untouched)

    renameSync(kept, key)
    const muster = await spawnMuster(lifetime, { flags: [`--data-dir=${dataDir}`] })
    await loginAdmin(muster.authUrl)
  })
})
