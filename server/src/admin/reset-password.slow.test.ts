import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { failuresBeforeDelay } from '../domain/identity/login-delay.ts'
import { createSessionStore } from '../storage/sessions/session-store.ts'
import { ask, passwordIdentity, requestToken, secretOf, systemProject } from '../testing/client.ts'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../testing/start-platform.ts'

onBothEngines('muster admin reset-password', (engine) => {
  let installation: Installation
  let platform: TestPlatform
  const start = async () => {
    platform = await startPlatform({ engine, beside: installation })
  }
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-admin-'))
    const databaseUrl = engine === 'postgres' ? await createTestDatabase('migrated') : undefined
    installation = { folder, databaseUrl }
    await start()
  })
  after(async () => {
    await platform.close()
    rmSync(installation.folder, { recursive: true, force: true })
  })

  const login = (password: string) =>
    requestToken(platform.url, {
      identity: passwordIdentity('sysadmin', password),
      scope: systemProject,
    })
  const reset = (...args: string[]) => runAdminCommand(installation, 'reset-password', ...args)
  const printedPassword = (stdout: string) => /once\): (\S+)$/m.exec(stdout)?.[1] ?? ''
  const writePassword = (text: string) => {
    const file = join(installation.folder, 'password')
    writeFileSync(file, text)
    return `--password-file=${file}`
  }

  test('while the server runs: takes effect at once, ends tokens and sessions, and is audited', async () => {
    const token = secretOf(await login(adminPassword))
    const { id } = await platform.database.db
      .selectFrom('users')
      .select('id')
      .executeTakeFirstOrThrow()
    const times = { createdAt: 1, seenAt: 1, expiresAt: 2 ** 50 }
    const session = { id: 's', userId: id, sealed: '', scope: '', ip: '', userAgent: '', ...times }
    await createSessionStore(platform.database).insert(session)
    for (let failure = 0; failure <= failuresBeforeDelay; failure++) await login('wrong password')
    assert.notEqual((await login(adminPassword)).status, 201, 'the login is delayed')

    const { status, stdout } = await reset()
    assert.equal(status, 0)
    assert.match(stdout, /^The password of sysadmin in the domain Default is changed\.$/m)
    assert.match(stdout, /^Ended: 1 tokens, 1 browser sessions\./m)
    assert.equal((await ask(platform.url, '/servers', { token })).status, 401)
    assert.equal((await login(adminPassword)).status, 401)
    await platform.database.commit([
      platform.database.db.deleteFrom('login_attempts').where('failures', '=', 1).compile(),
    ])
    const fresh = secretOf(await login(printedPassword(stdout)))
    const { body } = await ask<{ events: Record<string, unknown>[] }>(
      platform.url,
      '/events?target_type=user&action=update',
      { token: fresh },
    )
    assert.deepEqual(
      body.events.map(({ user, target_name, changes }) => [user, target_name, changes]),
      [['muster admin', 'sysadmin', { password: ['(hidden)', '(hidden)'] }]],
    )
  })

  test('while the server is stopped: sets the password of a file', async () => {
    await platform.close()
    assert.equal(existsSync(join(installation.folder, 'data', 'control.sock')), false)
    const { status, stdout } = await reset('SysAdmin', writePassword('another good password\n'))
    assert.equal(status, 0)
    assert.doesNotMatch(stdout, /another good password|once/)
    await start()
    secretOf(await login('another good password'))
  })

  test('refuses wrong arguments by name, and changes nothing', async () => {
    await assert.rejects(reset('nobody'), /no user "nobody" in the domain "Default"/)
    await assert.rejects(reset('sysadmin', '--domain', 'Nowhere'), /in the domain "Nowhere"/)
    await assert.rejects(reset(writePassword('short')), /--password-file is not acceptable\. .*8/)
    await assert.rejects(reset('--password-file=/does/not/exist'), /must be the path/)
    await assert.rejects(reset('--password', 'secret'), /unknown option --password /)
    await assert.rejects(reset('--domain'), /--domain needs a value/)
    await assert.rejects(reset('a', 'b'), /too many arguments/)
    secretOf(await login('another good password'))
  })
})
