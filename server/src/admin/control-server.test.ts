import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { runAdminCommand } from '../testing/run-admin-command.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'
import { version } from '../version.ts'
import { controlSocketAddress } from './control-socket.ts'

describe('the control socket', () => {
  const parent = mkdtempSync(join(tmpdir(), 'muster-control-'))
  // Longer than the address of a socket may be.
  const folder = join(parent, 'long'.repeat(30))
  const file = join(folder, 'data', 'control.sock')
  let platform: TestPlatform
  before(async () => {
    mkdirSync(join(folder, 'data'), { recursive: true, mode: 0o700 })
    writeFileSync(file, 'left by a killed process', { mode: 0o600 })
    platform = await startPlatform({ beside: { folder, databaseUrl: undefined } })
  })
  after(async () => {
    await platform.close()
    rmSync(parent, { recursive: true })
  })

  const run = (...args: string[]) => runAdminCommand({ folder, databaseUrl: undefined }, ...args)

  test('replaces one that was left behind, is for its user only, and works at a long path', async () => {
    assert.equal(statSync(file).isSocket(), true)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal((await run('reset-password')).status, 0)
  })

  test('refuses another version, an unknown command, wrong input and what is not JSON', async () => {
    const send = async (line: string) => {
      const { address, release } = controlSocketAddress(join(folder, 'data'))
      const socket = connect(address)
      await once(socket, 'connect')
      release()
      socket.write(`${line}\n`)
      return await text(socket)
    }
    const request = { version, command: 'reset-password', input: {} }
    assert.match(await send(JSON.stringify({ ...request, version: '0' })), /use the same version/)
    assert.match(await send(JSON.stringify({ ...request, command: 'no' })), /has no command no/)
    for (const [command, input] of [
      ['reset-password', { name: 5 }],
      ['reset-password', { user: 'sysadmin', domain: 'Default', password: 5 }],
      ['rotate-key', 'constructor'],
      ['demo remove', 1],
    ] as const) {
      const refused = await send(JSON.stringify({ ...request, command, input }))
      assert.match(refused, new RegExp(`"error":"the input of ${command} is not valid"`))
    }
    assert.match(await send('{'), /"error":/)
  })
})
