import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Batch, BatchPreview, EventDto } from '@muster/contract'
import {
  startActingAccount,
  type ActingAccount,
} from '../../testing/inventory-world/acting-account.ts'
import { until } from '../../testing/inventory-world/attached-accounts.ts'
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
    const batch = await until<Batch>('the batch ends', async () => {
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
    const missing = await call({ action: 'delete', ids })
    assert.equal(missing.status, 400)
    const changed = await call({ action: 'delete', ids, matched: 'other' })
    assert.equal(changed.status, 409)
  })
})
