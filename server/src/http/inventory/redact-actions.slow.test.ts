import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Batch } from '@muster/contract'
import { eventually } from '../../testing/eventually.ts'
import { startActingAccount } from '../../testing/inventory-world/acting-account.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** With characters that JSON escapes, and among others that stay. */
const secret = `p"a'w%_ord`

onBothEngines('redacting what actions set', (engine) => {
  const lifetime = suiteLifetime()

  test('reaches the parameters of their tasks, batches and events, and nothing else', async () => {
    const { at, ...acting } = await startActingAccount(lifetime, engine)
    const { admin } = at
    const { id } = await acting.first('ready')
    const { db } = at.platform.database
    const stored = async () =>
      JSON.stringify(
        await Promise.all(
          ['tasks', 'batches', 'events'].map(async (table) => {
            const { rows } = await sql`select * from ${sql.table(table)}`.execute(db)
            return rows
          }),
        ),
      )
    /** Strings within JSON within JSON are escaped twice. */
    const hasSecret = (text: string) => /a'w%_ord/.test(text)

    const update = async (server: object) => {
      const task = await acting.run('updateServer', id, { body: { server } })
      assert.equal(task.status, 'succeeded', task.error)
      return task
    }
    const { id: taskId } = await update({ name: `named ${secret}`, description: `told ${secret}` })
    const { body } = await admin.call<{ batch: Batch }>('createBatch', {
      body: {
        batch: {
          action: 'update',
          ids: [id],
          params: { name: `again ${secret}`, description: `and ${secret}` },
        },
      },
    })
    await eventually('the batch ends', async () => {
      const { batch } = await admin.get<{ batch: Batch }>('getBatch', {
        path: { id: body.batch.id },
      })
      return batch.finished_at === null ? undefined : batch
    })
    await update({ name: 'harmless', description: 'nothing' })
    assert.ok(hasSecret(await stored()))

    for (const field of ['name', 'description']) {
      const answer = await admin.call('redactServerHistory', {
        path: { id },
        body: { redaction: { field, value: secret } },
      })
      assert.equal(answer.status, 200, answer.text)
    }
    assert.ok(!hasSecret(await stored()))
    const { params } = await acting.getTask(taskId)
    assert.deepEqual(params, { name: 'named [redacted]' })
    for (const [operation, given] of [
      ['getServerHistory', { path: { id }, query: 'limit=2048' }],
      ['getServerChanges', { query: `scope=system&id=${id}` }],
      ['listTasks', { query: `server_id=${id}` }],
      ['getBatch', { path: { id: body.batch.id } }],
    ] as const) {
      const { status, text } = await admin.call(operation, given)
      assert.equal(status, 200, text)
      assert.ok(!hasSecret(text), text)
    }
  })
})
