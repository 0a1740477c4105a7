import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { passwordIdentity, requestToken, systemProject } from '../testing/client.ts'
import {
  musterCommand,
  spawnMuster,
  spawnProcess,
  temporaryFolder,
} from '../testing/spawn-muster.ts'

const [node, script] = musterCommand

describe('muster admin as a process', () => {
  test('works beside a running server, after it was killed, and when it runs again', async (t) => {
    const dataDir = join(temporaryFolder(t), 'data')
    const flags = [`--data-dir=${dataDir}`]
    const admin = (...args: string[]) =>
      spawnProcess(t, { command: [node, script, 'admin', ...args], flags }).exited
    async function reset(): Promise<string> {
      const { code, stdout, stderr } = await admin('reset-password')
      assert.equal(code, 0, stderr)
      return /once\): (\S+)$/m.exec(stdout)?.[1] ?? ''
    }
    const login = (authUrl: string, password: string) =>
      requestToken(authUrl, {
        identity: passwordIdentity('sysadmin', password),
        scope: systemProject,
      })

    const muster = await spawnMuster(t, { flags })
    const first = await reset()
    assert.equal((await login(muster.authUrl, first)).status, 201)
    const wrong = await admin('reset-password', 'nobody')
    assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
    assert.equal(wrong.stderr, 'muster: there is no user "nobody" in the domain "Default"\n')

    await muster.end('SIGKILL')
    assert.ok(existsSync(join(dataDir, 'control.sock')), 'a killed server leaves its socket')
    const second = await reset()
    assert.equal((await admin('check')).code, 0)

    const again = await spawnMuster(t, { flags })
    assert.equal((await login(again.authUrl, second)).status, 201)
    assert.equal((await login(again.authUrl, await reset())).status, 201)
    await again.end('SIGTERM')
    assert.equal(existsSync(join(dataDir, 'control.sock')), false)
  })
})
