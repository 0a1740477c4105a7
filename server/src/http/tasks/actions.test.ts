import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Batch, BatchDetails, BatchPreview, EventDto, ServerChange } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onEngineOfLane('actions on servers', (engine) => {
  const lifetime = suiteLifetime()
  let acting: ActingAccount
  before(async () => {
    acting = await startActingAccount(lifetime, engine)
  })

  test('start a stopped server: transitional status, task, history', async () => {
    const [stopped] = await acting.servers('ready')
    assert.ok(stopped)
    // Cloudpods' clients send these; they have no effect.
    const body = { server: { auto_prepaid: true, qemu_version: '2.12.1' } }
    const answer = await acting.act('startServer', stopped.id, { body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.match(answer.body.server?.status ?? '', /^start/)
    const taskId = answer.headers.get('x-task-id') ?? ''
    assert.match(answer.headers.get('location') ?? '', new RegExp(`/tasks/${taskId}$`))
    const task = await acting.ended(taskId)
    assert.deepEqual([task.status, task.error, task.progress], ['succeeded', '', 100])
    assert.deepEqual(task.params, {})
    const after = await acting.getServer(stopped.id)
    assert.equal(after.status, 'running')
    assert.equal(after.metadata['sys:task_id'], undefined)
    const { events } = await acting.at.admin.get<{ events: EventDto[] }>('getServerHistory', {
      path: { id: stopped.id },
    })
    const told = events.filter(({ action }) => action === 'start')
    assert.equal(told.length, 2)
    assert.ok(told.every(({ user, changes }) => user !== '' && changes['task_id']?.[1] === taskId))
  })

  test('are not sent again if the server is already so', async () => {
    const { id } = await acting.first('ready')
    const answer = await acting.act('stopServer', id)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-task-id'), null)
    assert.equal(answer.body.server?.status, 'ready')
  })

  test('are refused in the wrong state, and tell from which states they work', async () => {
    const { id } = await acting.first('ready')
    assert.match(
      await acting.refused('InvalidStatusError', 'suspendServer', id),
      /stopped.*running/,
    )
    assert.match(await acting.refused('InvalidStatusError', 'resumeServer', id), /suspended/)
    await acting.refused('InputParameterError', 'startServer', id, {
      body: { server: { colour: 'red' } },
    })
    await acting.refused('InputParameterError', 'stopServer', id, {
      body: { server: { timeout_secs: -1 } },
    })
  })

  test('check If-Match', async () => {
    const { id, update_version } = await acting.first('ready')
    const stale = { 'if-match': `"v${update_version + 7}"` }
    await acting.refused('PreconditionFailedError', 'startServer', id, { headers: stale })
    const fresh = { 'if-match': `"v${update_version}"` }
    assert.equal((await acting.run('startServer', id, { headers: fresh })).status, 'succeeded')
  })

  test('act on many servers in a batch, after a dry run', async () => {
    const some = (await acting.servers('ready')).slice(0, 5)
    const ids = [...some.map(({ id }) => id), '00000000-0000-4000-8000-000000000000']
    const call = (batch: object) =>
      acting.at.admin.call<{ batch: Batch & BatchPreview }>('createBatch', { body: { batch } })
    const preview = await call({ action: 'start', ids, dry_run: true })
    assert.equal(preview.status, 200, preview.text)
    assert.deepEqual(
      preview.body.batch.items.map(({ outcome }) => outcome),
      [...some.map(() => 'act'), 'refused'],
    )
    const accepted = await call({ action: 'start', ids, matched: preview.body.batch.matched })
    assert.equal(accepted.status, 202, accepted.text)
    const { id } = accepted.body.batch
    const batch = await eventually<Batch>('the batch ends', async () => {
      const { batch: now } = await acting.at.admin.get<{ batch: Batch }>('getBatch', {
        path: { id },
      })
      return now.finished_at === null ? undefined : now
    })
    const { total, succeeded, refused: out, status } = batch
    assert.deepEqual(
      { total, succeeded, out, status },
      { total: 6, succeeded: 5, out: 1, status: 'finished' },
    )
    // An id that nobody has is refused, and no task.
    const { batch: details } = await acting.at.admin.get<{ batch: BatchDetails }>('getBatch', {
      path: { id },
    })
    const reason = 'Server not found, or you do not have access to it.'
    assert.deepEqual(details.refusals, [{ server_id: ids.at(-1), reason }])
    const tasks = await acting.at.admin.get<{ total: number }>('listTasks', {
      query: `batch_id=${id}`,
    })
    assert.equal(tasks.total, 5)
    const missing = await call({ action: 'delete', ids })
    assert.equal(missing.status, 400)
    const changed = await call({ action: 'delete', ids, matched: 'other' })
    assert.equal(changed.status, 409)
  })

  test('a batch that matches nothing is refused, and its dry run has no servers', async () => {
    const batch = { action: 'start', q: `name:none-${newId()}` }
    const call = (more: object) =>
      acting.at.admin.call<{ batch: BatchPreview }>('createBatch', {
        body: { batch: { ...batch, ...more } },
      })
    const preview = await call({ dry_run: true })
    assert.deepEqual([preview.status, preview.body.batch.total], [200, 0], preview.text)
    assert.equal((await call({})).status, 400)
    const empty = await call({ q: undefined, ids: [] })
    assert.equal(empty.status, 400)
    assert.match(empty.text, /batch\.ids/)
  })

  test('a batch has the scope of a list', async () => {
    const { at, accountId } = acting
    const q = `account_id:${accountId} status:ready`
    const totalOf = async (client: Pick<typeof at.admin, 'call'>, scope: string) => {
      const query = scope === '' ? '' : `scope=${scope}`
      const body = { batch: { action: 'start', q, dry_run: true } }
      const answer = await client.call<{ batch: BatchPreview }>('createBatch', { query, body })
      const list = await client.call<{ total: number }>('listServers', {
        query: `${query}&q=${encodeURIComponent(q)}&limit=0`,
      })
      assert.equal(answer.status, list.status, answer.text)
      return answer.status === 200
        ? [answer.body.batch.total, list.body.total]
        : [answer.status, list.status]
    }
    const editor = await at.addCaller('project_editor')
    for (const client of [at.admin, editor]) {
      for (const scope of ['', 'project', 'domain', 'system', 'max']) {
        const [inBatch, inList] = await totalOf(client, scope)
        assert.equal(inBatch, inList, scope)
      }
    }
    // The administrator's token is for another project.
    assert.deepEqual(await totalOf(at.admin, ''), [0, 0])
    assert.deepEqual(await totalOf(editor, 'system'), [403, 403])
  })

  test('the name of a deleted server is shown to those who may see deleted servers', async () => {
    const { at } = acting
    const { id, name } = await acting.first('ready')
    const rename = { server: { name: `${name}-renamed` } }
    const task = await acting.run('updateServer', id, { body: rename })
    const deletion = await acting.run('deleteServer', id, { query: 'override_pending_delete=true' })
    assert.equal(deletion.status, 'succeeded', deletion.error)
    for (const [role, isShown] of [
      ['project_owner', true],
      ['project_editor', false],
      ['project_viewer', false],
    ] as const) {
      const { call } = await at.addCaller(role)
      const texts = [
        (await call('getTask', { path: { id: task.id } })).text,
        (await call('listTasks', { query: `server_id=${id}` })).text,
        ...(role === 'project_viewer'
          ? []
          : [
              (
                await call('createBatch', {
                  body: { batch: { action: 'start', ids: [id], dry_run: true } },
                })
              ).text,
            ]),
      ]
      for (const text of texts) assert.equal(text.includes(name), isShown, `${role}: ${text}`)
      const found = await call<{ total: number }>('listTasks', {
        query: `server_id=${id}&search=${name}`,
      })
      assert.equal(found.body.total > 0, isShown, role)
    }
  })

  test('what a source reports because of a task is linked to its request', async () => {
    const { id, name } = await acting.first('ready')
    const renaming = { body: { server: { name: `${name}-linked` } } }
    const answer = await acting.act('updateServer', id, renaming)
    const renamed = await acting.ended(answer.headers.get('x-task-id') ?? '')
    const deletion = await acting.run('deleteServer', id, { query: 'override_pending_delete=true' })
    assert.deepEqual([renamed.status, deletion.status], ['succeeded', 'succeeded'])
    const { changes } = await acting.at.admin.get<{ changes: ServerChange[] }>('getServerChanges', {
      query: `id=${id}&kind=renamed&kind=gone&scope=max`,
    })
    assert.deepEqual(
      changes.map(({ kinds, task_id }) => [kinds[0], task_id]),
      [
        ['gone', deletion.id],
        ['renamed', renamed.id],
      ],
    )
    assert.deepEqual(
      changes.map(({ request_id }) => request_id !== ''),
      [true, true],
    )
    assert.equal(changes.at(-1)?.request_id, answer.headers.get('x-request-id'))
  })
})
