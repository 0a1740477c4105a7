import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Server } from '@muster/contract'
import {
  startActingAccount,
  type ActingAccount,
} from '../../server/src/testing/inventory-world/acting-account.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { installMcpClient, installMcpInspector } from './install.ts'

const run = promisify(execFile)

interface Outcome {
  readonly version: string
  readonly tools: readonly string[]
  readonly found: number
  readonly missing: boolean
  readonly resource: string
  readonly questions: readonly string[]
  readonly refused: boolean
  readonly performed: string
}

describe('published clients of MCP', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  let acting: ActingAccount
  let token: string
  before(async () => {
    acting = await startActingAccount(lifetime, 'sqlite', {
      platform: { flags: ['--mcp-actions'] },
    })
    ;({ token } = await acting.at.addCaller('project_owner'))
  })

  async function usePython(mode: string, { id }: Pick<Server, 'id'>, answer: string) {
    const program = join(import.meta.dirname, 'use_client.py')
    const given = [`${acting.at.url}/mcp`, token, mode, id, answer]
    const { stdout } = await run(installMcpClient(), [program, ...given])
    return JSON.parse(stdout) as Outcome
  }

  for (const [mode, version] of [
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const) {
    test(`PyPI's client reads, asks its user and acts by ${version}`, async () => {
      const server = await acting.first('running')
      const yes = await usePython(mode, server, 'yes')
      assert.equal(yes.version, version)
      assert.ok(yes.tools.includes('find_servers') && yes.tools.includes('perform_action'))
      assert.deepEqual([yes.found, yes.missing, yes.resource], [2, true, server.id])
      assert.equal(yes.questions.length, 1)
      assert.match(yes.questions[0] ?? '', /perform "suspend" on 1 server/)
      assert.ok(!yes.refused, yes.performed)
      const { results } = JSON.parse(yes.performed) as { results: { task_id: string }[] }
      const task = await acting.getTask(results[0]?.task_id ?? '')
      assert.deepEqual([task.action, task.server_id], ['suspend', server.id])

      const other = await acting.first('running')
      for (const [answer, questions] of [
        ['no', 1],
        ['cannot ask', 0],
      ] as const) {
        const outcome = await usePython(mode, other, answer)
        assert.equal(outcome.questions.length, questions)
        assert.ok(outcome.refused, outcome.performed)
      }
      assert.equal((await acting.getServer(other.id)).status, 'running')
    })
  }

  test('the inspector finds the tools portable, and calls them', async () => {
    const inspector = join(
      installMcpInspector(),
      'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    )
    const inspect = async (...given: readonly string[]) => {
      const server = ['--server-url', `${acting.at.url}/mcp`, '--transport', 'http']
      const header = ['--header', `Authorization: Bearer ${token}`]
      const { stdout } = await run(
        process.execPath,
        [inspector, '--cli', ...server, ...header, ...given],
        { cwd: folder, env: { ...process.env, HOME: folder }, maxBuffer: 2 ** 24 },
      )
      return JSON.parse(stdout) as Record<string, unknown>
    }
    const { tools } = await inspect('--method', 'tools/list', '--strict')
    assert.equal((tools as unknown[]).length, 11)
    const call = ['--method', 'tools/call', '--tool-name']
    const found = await inspect(...call, 'find_servers', '--tool-arg', 'limit=2', 'scope=max')
    const { servers } = found['structuredContent'] as { servers: unknown[] }
    assert.equal(servers.length, 2)
    const { resourceTemplates } = await inspect('--method', 'resources/templates/list')
    assert.equal((resourceTemplates as unknown[]).length, 1)
  })
})
