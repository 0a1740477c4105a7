import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { collectOutput } from '../testing/collect-output.ts'
import type { AdminCommand } from './command.ts'
import { adminCommands } from './commands.ts'
import { runAdmin } from './run-admin.ts'

const calls: unknown[] = []
const command = (name: string): AdminCommand => ({
  name,
  summary: `The summary of ${name}.`,
  usage: 'FILE',
  examples: [`${name} some.file   an example`],
  run: async (args, { dataDir, demo }) => {
    calls.push([name, args, dataDir, demo])
    return 3
  },
})

async function run(...args: string[]) {
  const output = collectOutput()
  const commands = [command('backup'), command('demo remove')]
  const status = await runAdmin(args, { MUSTER_DEMO: 'true' }, output.io, commands)
  return { status, stdout: output.stdout() }
}

describe('muster admin', () => {
  test('gives a command its arguments, and the settings among them as settings', async () => {
    const { status } = await run('backup', '--data-dir', 'here', 'a.file', '--full', '--demo')
    assert.equal(status, 3)
    assert.equal((await run('demo', 'remove', '--data-dir=there', '--data')).status, 3)
    assert.deepEqual(calls, [
      ['backup', ['a.file', '--full'], resolve('here'), true],
      ['demo remove', ['--data'], resolve('there'), true],
    ])
  })

  test('prints the list of commands, and the help of each', async () => {
    const { stdout } = await run('--help')
    assert.match(stdout, /^  backup +The summary of backup\.$/m)
    assert.match(stdout, /^  demo remove +The summary/m)
    const help = (await run('demo', 'remove', '--help')).stdout
    assert.match(help, /^Usage: muster admin demo remove FILE \[SETTINGS\]$/m)
    assert.match(help, /^ +muster admin demo remove some\.file   an example$/m)
  })

  test('refuses an unknown command by name, with the nearest one', async () => {
    await assert.rejects(run('bakcup'), /unknown command admin bakcup: did you mean "backup"\?/)
    await assert.rejects(run('demo', 'rmove'), /admin demo: did you mean "demo remove"\?/)
    await assert.rejects(run(), /a command is expected/)
    await assert.rejects(run('/a/file'), /a command is expected/)
  })

  test('has commands with one or two words, a summary and examples that begin with the name', () => {
    for (const { name, summary, examples } of adminCommands) {
      assert.match(name, /^[a-z-]+( [a-z-]+)?$/)
      assert.match(summary, /\.$/)
      assert.ok(examples.length > 0 && examples.every((example) => example.startsWith(name)), name)
    }
  })
})
