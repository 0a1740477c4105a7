import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSpanExporter } from './span-exporter.ts'
import type { FinishedSpan } from './tracer.ts'

const span: FinishedSpan = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentId: undefined,
  name: 'work',
  kind: 'internal',
  attributes: {},
  isError: false,
  start: 1,
  end: 2,
}

function start(send: (count: number, signal: AbortSignal) => Promise<void>) {
  const lines: string[] = []
  const note = (_fields: object, message: string) => void lines.push(message)
  const exporter = createSpanExporter({
    send: (spans, signal) => send(spans.length, signal),
    log: { warn: note, info: note },
    delays: { batch: 1, failure: 20, stop: 100 },
  })
  const add = (count: number) => {
    for (let at = 0; at < count; at += 1) exporter.add(span)
  }
  return { exporter, add, lines }
}

describe('the exporter of spans', () => {
  test('sends batches of 512 at most, one at a time', async () => {
    const sizes: number[] = []
    let running = 0
    const { exporter, add } = start(async (count) => {
      running += 1
      assert.equal(running, 1)
      await pause(2)
      sizes.push(count)
      running -= 1
    })
    add(1_100)
    await eventually('1,100 spans are exported', () => exporter.counts().exported >= 1_100)
    assert.deepEqual(sizes, [512, 512, 76])
    await exporter.stop()
  })

  test('keeps 4,096 spans at most, and counts those that it drops', async () => {
    const { exporter, add } = start(() => new Promise(() => {}))
    add(512)
    add(4_096 + 7)
    assert.deepEqual(exporter.counts(), { exported: 0, dropped: 7, failed: 0 })
  })

  test('does not repeat what was refused, pauses, and logs the start and the end', async () => {
    const state = { isAway: true, sent: 0 }
    const { exporter, add, lines } = start(async (count) => {
      state.sent += count
      if (state.isAway) throw new Error('away')
    })
    add(512)
    await eventually('an export fails', () => exporter.counts().failed !== 0)
    add(1_000)
    assert.equal(state.sent, 512, 'it waits, however many there are')
    state.isAway = false
    await eventually('1,000 spans are exported', () => exporter.counts().exported >= 1_000)
    assert.deepEqual(exporter.counts(), { exported: 1_000, dropped: 0, failed: 512 })
    assert.equal(state.sent, 1_512)
    assert.deepEqual(lines, ['cannot export traces', 'traces are exported again'])
    await exporter.stop()
  })

  test('sends the rest when it stops, and drops it if the collector is away', async () => {
    const good = start(async () => {})
    good.add(600)
    await good.exporter.stop()
    assert.deepEqual(good.exporter.counts(), { exported: 600, dropped: 0, failed: 0 })
    const away = start(() => Promise.reject(new Error('away')))
    away.add(600)
    await away.exporter.stop()
    assert.deepEqual(away.exporter.counts(), { exported: 0, dropped: 88, failed: 512 })
  })

  test('ends a request that takes too long when it stops', async () => {
    const { exporter, add } = start(
      (_count, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    )
    add(512)
    await exporter.stop()
    assert.equal(exporter.counts().failed, 512)
  })
})
