import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { EventDto, Server } from '@muster/contract'
import { onBothEngines } from '../../testing/engines.ts'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { createMcpClient, mcpVersions, type McpVersion } from '../../testing/mcp-client.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startPlatform } from '../../testing/start-platform.ts'

type Caller = Awaited<ReturnType<ActingAccount['at']['addCaller']>>

function itemsOf(content: Readonly<Record<string, unknown>> | undefined, name: string) {
  assert.ok(content, `there are no ${name}`)
  return content[name] as readonly Readonly<Record<string, string>>[]
}

onBothEngines('acting tools of MCP', (engine) => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  let owner: Caller
  before(async () => {
    acting = await startActingAccount(lifetime, engine, {
      platform: { flags: ['--mcp-actions'] },
    })
    owner = await acting.at.addCaller('project_owner')
  })

  const clientOf = (
    version: McpVersion,
    { token }: Pick<Caller, 'token'> = owner,
    more: { url?: string; answersTo?: string; capabilities?: object; name?: string } = {},
  ) =>
    createMcpClient(more.url ?? acting.at.url, version, {
      headers: { authorization: `Bearer ${token}` },
      capabilities: { elicitation: {} },
      ...more,
    })
  type Client = ReturnType<typeof clientOf>

  async function preview(client: Client, server: Pick<Server, 'id'>, action = 'stop', params = {}) {
    const input = { action, servers: [server.id], params }
    const { structuredContent, content } = await client.callTool('preview_action', input)
    return { ticket: String(structuredContent?.['ticket']), structuredContent, content }
  }
  const refusalOf = ({ result }: Awaited<ReturnType<Client['callAsking']>>) => {
    assert.ok(result?.isError, JSON.stringify(result))
    return result.content[0]?.text ?? ''
  }
  const statusOf = async ({ id }: Pick<Server, 'id'>) => (await acting.getServer(id)).status
  const setTicket = (id: string, changes: object) =>
    acting.at.database.commit([
      acting.at.database.db
        .updateTable('action_tickets')
        .set(changes)
        .where('id', '=', id)
        .compile(),
    ])

  for (const version of mcpVersions) {
    test(`act once after the user has agreed, and say so in the audit log, by ${version}`, async () => {
      const client = clientOf(version, owner, { name: 'Assistant\nof \u202EAda' })
      const server = await acting.first('running')
      const { ticket, structuredContent } = await preview(client, server, 'stop', {
        is_force: true,
      })
      assert.equal(itemsOf(structuredContent, 'items')[0]?.['outcome'], 'act')
      assert.equal(await statusOf(server), 'running')

      const { question, result } = await client.callAsking('perform_action', { ticket }, 'yes')
      assert.equal(
        question,
        `Muster: perform "stop" with is_force=true on 1 server? "${server.name}" (${server.id})`,
      )
      const [performed] = itemsOf(result?.structuredContent, 'results')
      const task = await acting.ended(performed?.['task_id'] ?? '')
      assert.deepEqual(
        [task.action, task.status, task.user_id],
        ['stop', 'succeeded', owner.userId],
      )
      const { events } = await acting.at.admin.get<{ events: EventDto[] }>('listEvents', {
        query: `target_id=${server.id}&action=stop&user_id=${owner.userId}`,
      })
      assert.ok(events.length > 0)
      for (const { changes } of events) {
        assert.deepEqual(changes['through'], [null, 'MCP, client Assistant of Ada'])
      }
      const again = await client.callAsking('perform_action', { ticket }, 'yes')
      assert.match(refusalOf(again), /was used/)
    })

    test(`do nothing unless the user says yes, by ${version}`, async () => {
      const server = await acting.first('running')
      for (const answer of ['no', 'decline', 'cancel'] as const) {
        const client = clientOf(version)
        const { ticket } = await preview(client, server)
        assert.match(
          refusalOf(await client.callAsking('perform_action', { ticket }, answer)),
          /declined. Nothing was done/,
        )
        const again = await client.callAsking('perform_action', { ticket }, 'yes')
        assert.match(refusalOf(again), /was declined/)
      }
      const client = clientOf(version)
      const { ticket } = await preview(client, server)
      const { question } = await client.callAsking('perform_action', { ticket }, 'silent')
      assert.match(question ?? '', /perform "stop"/)
      assert.equal(await statusOf(server), 'running')
    })

    test(`need a client that can ask its user, by ${version}`, async () => {
      const server = await acting.first('running')
      for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
        const client = clientOf(version, owner, { capabilities })
        const { ticket } = await preview(client, server)
        const given = {
          inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
        }
        const result = await client.callTool('perform_action', { ticket }, given)
        assert.match(result.content[0]?.text ?? '', /cannot ask its user/)
      }
      assert.equal(await statusOf(server), 'running')
    })

    test(`refuse tickets of others, expired ones and those of changed servers, by ${version}`, async () => {
      const client = clientOf(version)
      const server = await acting.first('running')
      const { ticket } = await preview(client, server)
      const other = clientOf(version, await acting.at.addCaller('project_owner'))
      const perform = async (from: Client, id: string) =>
        refusalOf(await from.callAsking('perform_action', { ticket: id }, 'yes'))
      assert.match(await perform(other, ticket), /Ticket not found/)
      assert.match(await perform(client, 'none'), /Ticket not found/)

      await acting.at.admin.call('updateServer', {
        path: { id: server.id },
        body: { server: { description: `changed ${ticket}` } },
      })
      assert.match(await perform(client, ticket), /has changed since the preview/)

      const { ticket: old } = await preview(client, server)
      await setTicket(old, { expires_at: Date.now() - 1 })
      assert.match(await perform(client, old), /has expired/)
      assert.equal(await statusOf(server), 'running')
    })

    test(`check the rights of the user when acting, by ${version}`, async () => {
      const caller = await acting.at.addCaller('project_owner')
      const client = clientOf(version, caller)
      const server = await acting.first('running')
      const { ticket } = await preview(client, server)
      await acting.at.database.commitIdentity([
        acting.at.database.db
          .updateTable('assignments')
          .set({
            role_id: (eb) =>
              eb.selectFrom('roles').select('id').where('name', '=', 'project_viewer'),
          })
          .where('user_id', '=', caller.userId)
          .compile(),
      ])
      const { result } = await client.callAsking('perform_action', { ticket }, 'yes')
      const [refused] = itemsOf(result?.structuredContent, 'results')
      assert.equal(refused?.['outcome'], 'refused')
      assert.match(refused?.['error'] ?? '', /permission/)
      assert.equal(await statusOf(server), 'running')

      const viewer = clientOf(version, await acting.at.addCaller('project_viewer'))
      const { structuredContent, content } = await preview(viewer, server)
      assert.match(content[0]?.text ?? '', /You need the permission/)
      assert.equal(structuredContent, undefined)
    })

    test(`offer no deletion, and only what the action takes, by ${version}`, async () => {
      const client = clientOf(version)
      const server = await acting.first('running')
      for (const action of ['delete', 'purge', 'constructor']) {
        const { content } = await preview(client, server, action)
        assert.match(content[0]?.text ?? '', /action must be one of/)
      }
      const { content } = await preview(client, server, 'stop', { override_pending_delete: true })
      assert.match(content[0]?.text ?? '', /override_pending_delete/)
      const input = { action: 'stop', servers: Array.from({ length: 21 }, () => server.id) }
      assert.equal((await client.callTool('preview_action', input)).isError, true)
    })

    test(`report the progress of tasks to clients that want it, by ${version}`, async () => {
      const server = await acting.first('running')
      const client = clientOf(version)
      const { ticket } = await preview(client, server, 'restart')
      const { result, notified = [] } = await client.callAsking(
        'perform_action',
        { ticket },
        'yes',
        { progressToken: 'p' },
      )
      assert.ok(notified.some(({ method }) => method === 'notifications/progress'))
      assert.ok(notified.every(({ params }) => params?.['progressToken'] === 'p'))
      const [performed] = itemsOf(result?.structuredContent, 'results')
      assert.equal(performed?.['status'], 'succeeded')
    })
  }

  test('a ticket works on a restarted process, and not where acting is off', async () => {
    const client = clientOf('2026-07-28')
    const server = await acting.first('running')
    const { ticket } = await preview(client, server)
    if (engine === 'sqlite') return
    const { platform } = acting.at
    const off = await startPlatform({ engine, beside: platform })
    lifetime.after(() => off.close())
    const refused = clientOf('2026-07-28', owner, { url: off.url })
    assert.match(
      refusalOf(await refused.callAsking('perform_action', { ticket }, 'yes')),
      /--mcp-actions/,
    )
    const { tools } = (await refused.request('tools/list')) as { tools: { name: string }[] }
    assert.ok(!tools.some(({ name }) => name === 'perform_action'))

    const other = await startPlatform({ engine, beside: platform, flags: ['--mcp-actions'] })
    lifetime.after(() => other.close())
    const clients = [client, clientOf('2026-07-28', owner, { url: other.url })]
    for (const each of clients) await each.callAsking('perform_action', { ticket }, 'silent')
    const { question: requestState } = await acting.at.database.db
      .selectFrom('action_tickets')
      .select('question')
      .where('id', '=', ticket)
      .executeTakeFirstOrThrow()
    const results = await Promise.all(
      clients.map((each) =>
        each.callTool(
          'perform_action',
          { ticket },
          {
            inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
            requestState,
          },
        ),
      ),
    )
    assert.equal(results.filter(({ isError }) => isError).length, 1, JSON.stringify(results))

    const next = await acting.first('running')
    const crossed = clientOf('2025-11-25', owner, { answersTo: other.url })
    const { ticket: second } = await preview(crossed, next)
    const { result } = await crossed.callAsking('perform_action', { ticket: second }, 'yes')
    assert.ok(!result?.isError, JSON.stringify(result))
  })

  test('a user has at most 20 open tickets', async () => {
    const client = clientOf('2026-07-28', await acting.at.addCaller('project_owner'))
    const server = await acting.first('running')
    for (let count = 0; count < 20; count += 1) await preview(client, server)
    assert.match((await preview(client, server)).content[0]?.text ?? '', /20 open tickets/)
  })
})
