import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Token } from '@muster/contract'
import { ask, requestToken, secretOf } from './testing/client.ts'
import { onSqliteFirst } from './testing/lanes.ts'
import { runMuster, spawnMuster, temporaryFolder } from './testing/spawn-muster.ts'
import { startPlatform } from './testing/start-platform.ts'

const flags = ['--demo', '--demo-servers=40']

onSqliteFirst('a platform with a demo', (engine) => {
  test('all listed users can log in to their project or domain', async (t) => {
    const platform = await startPlatform({ engine, flags })
    t.after(() => platform.close())
    const users = platform.demo?.users ?? []
    assert.equal(users.length, 4)
    for (const { name, password = '', domain, project } of users) {
      const user = { name, domain: { name: domain }, password }
      const scope = project === undefined ? { scope: { domain: { name: domain } } } : {}
      const identity = { methods: ['password'], password: { user } }
      const answer = await requestToken(platform.url, { identity, ...scope })
      const token: Token = answer.body.token
      assert.equal(token.project.Name, project ?? domain, name)
      const own = await ask(platform.url, '/v3/auth/projects', { token: secretOf(answer) })
      assert.equal(own.status, 200)
    }
  })

  test('does not exist without the flag', async (t) => {
    const platform = await startPlatform({ engine })
    t.after(() => platform.close())
    assert.equal(platform.demo, undefined)
  })
})

describe('a process with a demo', () => {
  test('prints the same users at every start', async (t) => {
    const data = `--data-dir=${temporaryFolder(t)}/data`
    const tableOf = (text: string) => /^ {2}user +password.*(?:\n {2}\S.*)+/m.exec(text)?.[0] ?? ''
    const first = await spawnMuster(t, { flags: [data, ...flags] })
    await first.printed('List servers as demo-owner')
    const exit = await first.end('SIGTERM')
    assert.equal(exit.code, 0)
    assert.ok(tableOf(exit.stdout).includes('demo-owner'), exit.stdout)

    const second = await spawnMuster(t, { flags: [data, '--demo'] })
    await second.printed('List servers as demo-owner')
    assert.equal(tableOf(second.stdout()), tableOf(exit.stdout))
    await second.end('SIGKILL')

    const smaller = await runMuster(t, [data, '--port=0', '--demo', '--demo-servers=39'])
    assert.deepEqual([smaller.code, smaller.stdout], [2, ''])
    assert.match(smaller.stderr, /^muster: --demo-servers is less than the 40 [^\n]*\n$/)
  })
})
