import assert from 'node:assert/strict'
import { beforeEach, describe, mock, test } from 'node:test'
import type { EventStore } from './event-store.ts'
import type { EventRecord } from './event.ts'
import { createRecordDenial } from './record-denial.ts'

const start = Date.UTC(2026, 0, 1)
const minute = 60_000

describe('createRecordDenial', () => {
  let rows: EventRecord[]
  let isBroken = false
  beforeEach((t) => {
    rows = []
    isBroken = false
    mock.timers.enable({ apis: ['setInterval'] })
    if ('after' in t) t.after(() => mock.timers.reset())
  })

  const record: EventStore['record'] = async (event) => {
    if (isBroken) throw new Error('no storage')
    rows.push(event)
  }
  const open = () => createRecordDenial({ record } as EventStore, () => start)
  const denialOf = (name: string, id = 'x', operation = 'deleteUser') => ({
    user: { id: `user-${name}`, name, domainId: 'domain-home' },
    origin: { ip: '192.0.2.1', requestId: 'req-1', isConfidential: true },
    operation: { id: operation },
    named: { id },
  })
  const counts = () => rows.map(({ changes }) => changes['repeated']?.[1] ?? 1)
  const pass = async (time: number) => {
    mock.timers.tick(time)
    await new Promise(setImmediate)
  }

  test('records the first at once and sums repeats up, whatever they name', async () => {
    const { recordDenial } = open()
    for (let time = 0; time < 1_000; time += 1) await recordDenial(denialOf('eve', `id-${time}`))
    assert.deepEqual(counts(), [1])
    await pass(minute)
    assert.deepEqual(counts(), [1, 999])
    assert.deepEqual(rows[1]?.changes['operation'], [null, 'deleteUser'])
    const targets = rows[1]?.changes['named']?.[1]
    assert.equal(Array.isArray(targets) && targets.length, 10)
    assert.equal(rows[1]?.target_id, 'id-999')
    await recordDenial(denialOf('eve'))
    await pass(minute)
    assert.deepEqual(counts(), [1, 999, 1])
    assert.deepEqual(rows[2]?.changes['repeated'], [null, 1])
  })

  test('records at once again after a quiet minute', async () => {
    const { recordDenial } = open()
    await recordDenial(denialOf('eve'))
    await pass(minute)
    await recordDenial(denialOf('eve'))
    assert.deepEqual(counts(), [1, 1])
    assert.equal(rows[1]?.changes['repeated'], undefined)
  })

  test('keeps users and operations apart', async () => {
    const { recordDenial } = open()
    for (const name of ['eve', 'mallory']) {
      for (const operation of ['deleteUser', 'updateUser']) {
        await recordDenial(denialOf(name, 'x', operation))
      }
    }
    assert.equal(rows.length, 4)
  })

  test('writes the rest when told to, and what could not be written before', async () => {
    const { recordDenial, flushDenials } = open()
    for (let time = 0; time < 5; time += 1) await recordDenial(denialOf('eve'))
    isBroken = true
    await pass(minute)
    isBroken = false
    await recordDenial(denialOf('eve'))
    await flushDenials()
    assert.deepEqual(counts(), [1, 5])
    await flushDenials()
    assert.equal(rows.length, 2)
  })

  test('keeps a bounded number of counts, and loses none', async () => {
    const { recordDenial, flushDenials } = open()
    const users = Array.from({ length: 10_500 }, (_, index) => denialOf(`user-${index}`))
    for (const denial of users) {
      await recordDenial(denial)
      await recordDenial(denial)
    }
    await new Promise(setImmediate)
    assert.equal(rows.length, 10_500 + 500)
    await flushDenials()
    assert.equal(rows.length, 21_000)
  })
})
