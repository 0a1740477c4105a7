import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { maxIdempotencyKeyLength } from '@muster/contract'
import { createIdempotency, idempotencyLifetime, type RepeatableRequest } from './idempotency.ts'
import type { IdempotencyRecord } from './ports.ts'

const start = Date.UTC(2027, 0, 1)
const first: RepeatableRequest = {
  key: 'key',
  method: 'POST',
  path: '/servers/1/stop?scope=max',
  body: { server: { is_force: true } },
}

/** Stores records as the database does: one for each user and key. */
function createStore() {
  let now = start
  const records: IdempotencyRecord[] = []
  const idempotency = createIdempotency(
    {
      findIdempotency: async (userId, key, since) =>
        records.find((one) => one.user_id === userId && one.key === key && one.created_at >= since),
    },
    () => now,
  )
  const accept = (userId: string, request: RepeatableRequest) => {
    const record = idempotency.recordOf(userId, request, { task_id: 'task', batch_id: '' })
    if (record) records.push(record)
  }
  return {
    accept,
    records,
    findAfter(age: number, userId: string, request: RepeatableRequest) {
      now = start + age
      return idempotency.findFirst(userId, request)
    },
  }
}

describe('an Idempotency-Key', () => {
  test('finds the first request, or refuses another one, of the same user within a day', async () => {
    const changes: Partial<RepeatableRequest>[] = [
      {},
      { key: 'other' },
      { method: 'PUT' },
      { path: '/servers/2/stop?scope=max' },
      { path: '/servers/1/stop' },
      { body: { server: { is_force: false } } },
      { body: undefined },
    ]
    const { accept, findAfter } = createStore()
    accept('user', first)
    for (const userId of ['user', 'somebody else']) {
      for (const age of [0, idempotencyLifetime, idempotencyLifetime + 1]) {
        for (const change of changes) {
          const found = findAfter(age, userId, { ...first, ...change })
          const isKnown =
            userId === 'user' && age <= idempotencyLifetime && change.key === undefined
          const isSame = Object.keys(change).length === 0
          const what = JSON.stringify([userId, age, change])
          if (isKnown && !isSame) await assert.rejects(found, { class: 'IdempotencyError' }, what)
          else assert.equal((await found)?.task_id, isKnown ? 'task' : undefined, what)
        }
      }
    }
  })

  test('is optional and bounded', async () => {
    const { accept, records, findAfter } = createStore()
    const without = { ...first, key: undefined }
    accept('user', without)
    assert.deepEqual([records.length, await findAfter(0, 'user', without)], [0, undefined])
    const longest = 'k'.repeat(maxIdempotencyKeyLength)
    assert.equal(await findAfter(0, 'user', { ...first, key: longest }), undefined)
    await assert.rejects(findAfter(0, 'user', { ...first, key: `${longest}k` }), {
      class: 'InputParameterError',
    })
  })
})
