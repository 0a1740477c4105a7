import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { noLoginRules } from '@muster/contract'
import { ask, passwordIdentity, requestToken, secretOf, systemProject } from '../testing/client.ts'
import { createTestDatabase, onBothEngines } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { runAdminCommand, type Installation } from '../testing/run-admin-command.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../testing/start-platform.ts'

onBothEngines('muster admin lift-rule', (engine) => {
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

  const login = () =>
    requestToken(platform.url, {
      identity: passwordIdentity('sysadmin', adminPassword),
      scope: systemProject,
    })
  /** As if the last administrators had been locked out in some way. */
  async function restrict() {
    const { db, commitIdentity } = platform.database
    const rule = { local_passwords: 'break_glass', local_passwords_since: Date.now() }
    await commitIdentity([
      db.updateTable('domains').set(rule).where('id', '=', 'default').compile(),
      db.deleteFrom('login_attempts').where('failures', '>=', 0).compile(),
    ])
    assert.equal((await login()).status, 401)
  }
  const run = (...args: string[]) => runAdminCommand(installation, ...args)

  test('lets users in from any network again, at once', async () => {
    const token = secretOf(await login())
    const use = async () => (await ask(platform.url, '/v3/auth/projects', { token })).status
    const { db, commitIdentity } = platform.database
    const rules = { ...noLoginRules, session_idle: 600, networks: ['192.0.2.0/24'] }
    await commitIdentity([
      db
        .updateTable('domains')
        .set({ login_rules: JSON.stringify(rules) })
        .where('id', '=', 'default')
        .compile(),
    ])
    assert.equal(await use(), 401)
    assert.equal((await login()).status, 401)
    const shown = await run('login-rules')
    assert.match(shown.stdout, /^ {2}session_idle: 600 s\n {2}networks: 192\.0\.2\.0\/24$/m)
    const { stdout } = await run('lift-rule', 'Default', 'login-rules')
    assert.match(stdout, /^Users of Default can log in from any network\.$/m)
    await eventually('the rule is lifted', async () => (await use()) === 200)
    secretOf(await login())
    const { body } = await ask<{ events: { changes: object }[] }>(
      platform.url,
      '/events?target_type=domain&action=update&limit=1',
      { token },
    )
    assert.deepEqual(body.events[0]?.changes, { login_rules: [rules, noLoginRules] })
  })

  test('while the server runs: takes effect at once, and is audited', async () => {
    await restrict()
    const shown = await run('login-rules')
    assert.equal(shown.status, 0)
    assert.match(shown.stdout, /^Default: break-glass users only, since \d{4}-/m)
    assert.match(shown.stdout, /^ {2}break-glass users: none$/m)
    assert.match(shown.stdout, /^ {2}other users with a password: 1$/m)
    const reset = await run('reset-password')
    assert.match(reset.stdout, /Run: muster admin lift-rule "Default" local-passwords$/m)
    const password = /once\): (\S+)$/m.exec(reset.stdout)?.[1] ?? ''

    const { status, stdout } = await run('lift-rule', 'default', 'local-passwords')
    assert.equal(status, 0)
    assert.match(stdout, /^All users of Default can log in with their passwords\.$/m)
    const identity = passwordIdentity('sysadmin', password)
    const token = secretOf(await requestToken(platform.url, { identity, scope: systemProject }))
    const { body } = await ask<{ events: Record<string, unknown>[] }>(
      platform.url,
      '/events?target_type=domain&action=update&limit=1',
      { token },
    )
    assert.deepEqual(
      body.events.map(({ user, target_name }) => [user, target_name]),
      [['muster admin', 'Default']],
    )
    assert.match((await run('login-rules')).stdout, /^Default: all users with a password$/m)
    assert.match(
      (await run('lift-rule', 'Default', 'local-passwords')).stdout,
      /^Default has no such rule\.$/m,
    )
  })

  test('while the server is stopped', async () => {
    await platform.database.commitIdentity([
      platform.database.db
        .updateTable('domains')
        .set({ local_passwords: 'break_glass', local_passwords_since: 1 })
        .where('id', '=', 'default')
        .compile(),
    ])
    await platform.close()
    assert.equal((await run('lift-rule', 'Default', 'local-passwords')).status, 0)
    await start()
    const rules = await platform.database.db.selectFrom('domains').selectAll().execute()
    assert.deepEqual(
      rules.map((row) => [row.local_passwords, row.local_passwords_since]),
      [['on', null]],
    )
  })

  test('refuses wrong arguments, and changes nothing', async () => {
    await assert.rejects(run('lift-rule'), /name the domain/)
    await assert.rejects(run('lift-rule', 'Default'), /must be one of local-passwords, login-rules/)
    await assert.rejects(run('lift-rule', 'Default', 'all'), /must be one of/)
    const nowhere = run('lift-rule', 'Nowhere', 'login-rules')
    await assert.rejects(nowhere, /there is no domain "Nowhere"/)
    await assert.rejects(run('lift-rule', 'a', 'login-rules', 'b'), /too many arguments/)
    await assert.rejects(run('login-rules', 'Default'), /too many arguments/)
  })
})
