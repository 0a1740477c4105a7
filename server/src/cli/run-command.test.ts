import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderHelp } from '../config/help.ts'
import { collectOutput } from '../testing/collect-output.ts'
import { version } from '../version.ts'
import { runCommand } from './run-command.ts'

async function run(...args: string[]) {
  const output = collectOutput()
  const status = await runCommand(args, {}, output.io)
  return { status, stdout: output.stdout(), stderr: output.stderr() }
}

describe('muster', () => {
  test('prints its version and its help, which lists every command', async () => {
    assert.deepEqual(await run('--version'), { status: 0, stdout: `${version}\n`, stderr: '' })
    const help = await run('--help')
    assert.deepEqual([help.status, help.stderr], [0, ''])
    for (const name of ['serve', 'admin', 'config', 'auth', 'api', 'help']) {
      assert.match(help.stdout, new RegExp(`^  ${name} `, 'm'))
    }
    assert.deepEqual(await run('help'), help)
  })

  test('without a command prints its help as an error', async () => {
    const { status, stdout, stderr } = await run()
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^Usage: muster COMMAND/m)
  })

  test('prints the help of a command, in both spellings', async () => {
    assert.equal((await run('serve', '--help')).stdout, renderHelp())
    assert.equal((await run('help', 'serve')).stdout, renderHelp())
    assert.match((await run('help', 'admin')).stdout, /^Usage: muster admin COMMAND/m)
  })

  test('refuses an unknown command by name, with the nearest one', async () => {
    const refused = await run('sevre')
    assert.deepEqual([refused.status, refused.stdout], [2, ''])
    assert.match(refused.stderr, /no command "sevre"\. Did you mean "serve"\?/)
    assert.match((await run('toString')).stderr, /not a command/)
    assert.match((await run('help', 'backup')).stderr, /no command "backup"/)
  })

  test('refuses options without a command, and does not repeat their values', async () => {
    const refused = await run('--demo')
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, /Did you mean "muster serve --demo"\?/)
    for (const secret of ['--database-url=postgres://a:planted@b/c', 'postgres://a:planted@b/c']) {
      const { status, stderr } = await run(secret)
      assert.equal(status, 2)
      assert.doesNotMatch(stderr, /planted/)
    }
  })
})
