import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { accessKeyContext } from '../domain/identity/access-key/mint-access-key.ts'
import { listEncryptedValues } from '../storage/encrypted-values.ts'
import { ask, loginAdmin, secretOf } from '../testing/client.ts'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import {
  createKeyHolders,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../testing/identity-world/access-key-holders.ts'
import { runAdminCommand, settingsOf, type Installation } from '../testing/run-admin-command.ts'
import { spawnProcess, temporaryFolder } from '../testing/spawn-muster.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'
import { loadSecretKey } from '../vault/secret-key.ts'

onBothEngines('muster admin rotate-key', (engine) => {
  let installation: Installation
  let platform: TestPlatform
  let file: string
  let holders: KeyHolders
  let holder: KeyHolder
  const start = async () => {
    platform = await startPlatform({ engine, beside: installation })
    holders = createKeyHolders(platform, Date.now)
  }
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-rotate-'))
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    installation = { folder, databaseUrl }
    file = join(folder, 'secret.key')
    await start()
    holder = await holders.addHolder({ role: 'project_editor' })
    await addProvider()
  })
  after(async () => {
    await platform.close()
    rmSync(installation.folder, { recursive: true })
  })

  /** An identity provider with a secret option. */
  async function addProvider(): Promise<void> {
    const options = {
      issuer: 'https://id.example.org',
      client_id: 'muster',
      client_secret: 'a client secret',
    }
    const provider = { name: 'acme', driver: 'oidc', domain_id: 'default', options }
    const { status } = await ask(platform.url, '/v3/identity_providers', {
      method: 'POST',
      token: await loginAdmin(platform.url),
      body: { identity_provider: provider },
    })
    assert.equal(status, 201)
  }

  const rotate = (...args: string[]) => runAdminCommand(installation, 'rotate-key', ...args)
  const readLines = () => readFileSync(file, 'utf8').trim().split('\n')
  /** As if the file had been changed a minute ago. */
  const ageFile = () => utimesSync(file, new Date(), new Date(Date.now() - 60_000))

  const createAccessKey = () => holders.makeOwnKey(holder)
  async function assertWorks(...keys: HeldKey[]): Promise<void> {
    for (const key of keys) secretOf(await holders.login(holders.present('plain', key)))
  }
  const values = () => listEncryptedValues(platform.database.db)

  test('makes the new key current while the server runs, and the old one still decrypts', async () => {
    const before = await createAccessKey()
    const [oldLine] = readLines()
    assert.equal((await rotate()).status, 0)
    if (engine === 'postgres') {
      assert.deepEqual(readLines()[0], oldLine, 'other nodes do not have the new key yet')
      await assert.rejects(rotate('--finish'), /run muster admin rotate-key --activate/)
      assert.equal((await rotate('--activate')).status, 0)
    }
    assert.equal(readLines().length, 2)
    assert.equal(readLines()[1], oldLine)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    // The server polls which keys are in use.
    await eventually('the process knows both keys', () =>
      platform.database.keyFingerprints()?.includes(' '),
    )
    const after = await createAccessKey()
    await assertWorks(before, after)
    const key = loadSecretKey(file)
    const isCurrent = (await values()).map(({ value, context }) => key.isCurrent(value, context))
    assert.deepEqual(new Set(isCurrent), new Set([false, true]))
    await assert.rejects(rotate(), /a rotation has begun already: continue it with --finish/)

    await platform.close()
    await start()
    await assertWorks(before, after)
  })

  test('finishes while the server runs: everything has the new key, and the old one is gone', async () => {
    const pseudonym = loadSecretKey(file).pseudonym('nobody')
    const [line] = readLines()
    ageFile()
    const { status, stdout } = await rotate('--finish')
    assert.equal(status, 0)
    assert.match(stdout, /The old key is removed/)
    assert.deepEqual(readLines(), [line])
    const key = loadSecretKey(file)
    assert.notEqual(key.pseudonym('nobody'), pseudonym)
    for (const { value, context } of await values()) assert.ok(key.isCurrent(value, context))
    const ofProvider = (await values()).find(({ title }) => title.includes('identity provider'))
    assert.match(key.decrypt(ofProvider?.value ?? '', ofProvider?.context ?? ''), /a client secret/)
    const added = await createAccessKey()
    await platform.close()
    await start()
    await assertWorks(added)
    assert.equal((await runAdminCommand(installation, 'check')).status, 0)
    const steps = await platform.database.db
      .selectFrom('events')
      .select('id')
      .where('target_type', '=', 'secret_key')
      .execute()
    assert.equal(steps.length, engine === 'postgres' ? 3 : 2)
  })

  test('works while the server is stopped, and refuses steps out of order', async () => {
    const before = await createAccessKey()
    await platform.close()
    await assert.rejects(rotate('--finish'), /there is no rotation to finish/)
    await assert.rejects(rotate('--activate'), /has no new key that could be activated/)
    await assert.rejects(rotate('--activate', '--finish'), /use either/)
    await rotate()
    if (engine === 'postgres') await rotate('--activate')
    ageFile()
    await rotate('--finish')
    await start()
    await assertWorks(before)
  })

  test('loses nothing when it is killed while it finishes', async (t) => {
    const key = loadSecretKey(file)
    const { db, commit } = platform.database
    const { user_id, project_id } = await db
      .selectFrom('access_keys')
      .select(['user_id', 'project_id'])
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 150 }, (_, number) => {
      const id = `many-${number}`
      const secret = key.encrypt(id, accessKeyContext(id, user_id, project_id))
      return {
        id,
        name: id,
        name_key: id,
        user_id,
        project_id,
        enabled: 1,
        secret,
        last_used_ip: '',
        created_at: 1,
      }
    })
    await commit([db.insertInto('access_keys').values(rows).compile()])
    await rotate()
    if (engine === 'postgres') await rotate('--activate')
    ageFile()
    await platform.close()

    // It kills itself when it reports the first values.
    const script = join(installation.folder, 'killed.mjs')
    const text = `
      import { runAdmin } from '${import.meta.resolve('./run-admin.ts')}'
      const stderr = { write: () => process.kill(process.pid, 'SIGKILL') }
      await runAdmin(${JSON.stringify(['rotate-key', '--finish', ...settingsOf(installation)])}, {}, { stderr })`
    writeFileSync(script, text)
    const killed = spawnProcess(t, { command: [process.execPath, script] })
    const { signal, stderr } = await killed.exited
    assert.equal(signal, 'SIGKILL', stderr)
    assert.equal(readLines().length, 2)
    await start()
    const isCurrent = (await values()).map(({ value, context }) => {
      assert.ok(key.decrypt(value, context))
      return key.isCurrent(value, context)
    })
    assert.deepEqual(new Set(isCurrent), new Set([false, true]), 'it was killed in the middle')

    await rotate('--finish')
    assert.equal(readLines().length, 1)
    const alone = loadSecretKey(file)
    for (const { value, context } of await values()) assert.ok(alone.decrypt(value, context))
  })
})

describe('muster admin rotate-key with two nodes on PostgreSQL', () => {
  test('leaves every value readable on both, in the documented order', async (t) => {
    const databaseUrl = await createTestDatabase('migrated')
    const places = [temporaryFolder(t), temporaryFolder(t)].map((folder) => ({
      folder,
      databaseUrl,
    }))
    const [here, there] = places as [Installation, Installation]
    const fileOf = ({ folder }: Installation) => join(folder, 'secret.key')
    const copyFile = () => {
      copyFileSync(fileOf(here), `${fileOf(there)}.new`)
      renameSync(`${fileOf(there)}.new`, fileOf(there))
    }
    const start = async (place: Installation) => {
      const platform = await startPlatform({ engine: 'postgres', beside: place })
      return { platform, holders: createKeyHolders(platform, Date.now) }
    }
    const one = await start(here)
    copyFile()
    const other = await start(there)
    const nodes = [one, other]
    try {
      const holder = await one.holders.addHolder({ role: 'project_editor' })
      /** Each node creates a key, and both accept all of them. */
      const keys: HeldKey[] = []
      const useBoth = async () => {
        for (const { holders } of nodes) keys.push(await holders.makeOwnKey(holder))
        for (const { holders } of nodes) {
          for (const key of keys) secretOf(await holders.login(holders.present('plain', key)))
        }
      }
      await useBoth()
      for (const step of [[], ['--activate'], ['--finish']]) {
        utimesSync(fileOf(here), 0, 0)
        await runAdminCommand(here, 'rotate-key', ...step)
        // After the last step, the other node still has both keys.
        await useBoth()
        copyFile()
        await useBoth()
      }
      assert.equal(readFileSync(fileOf(there), 'utf8'), readFileSync(fileOf(here), 'utf8'))
      assert.equal((await runAdminCommand(there, 'check')).status, 0)
    } finally {
      for (const { platform } of nodes) await platform.close()
    }
  })
})

describe('muster admin rotate-key on a demo', () => {
  test('does not change the passwords of the demo', async (t) => {
    const folder = temporaryFolder(t)
    const installation = { folder, databaseUrl: undefined }
    const start = () =>
      startPlatform({ beside: installation, flags: ['--demo', '--demo-servers=10'] })
    const before = await start()
    const users = before.demo?.users
    assert.ok(users?.every(({ password }) => password !== undefined))
    for (const _ of ['first', 'second']) {
      await runAdminCommand(installation, 'rotate-key')
      utimesSync(join(folder, 'secret.key'), 0, 0)
      await runAdminCommand(installation, 'rotate-key', '--finish')
    }
    await before.close()
    const after = await start()
    await after.close()
    assert.deepEqual(after.demo?.users, users)
  })
})
