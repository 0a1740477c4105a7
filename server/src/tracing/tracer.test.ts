import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTracer, type FinishedSpan } from './tracer.ts'

function start(ratio: number) {
  const spans: FinishedSpan[] = []
  return { spans, tracer: createTracer(ratio, (span) => spans.push(span)) }
}

const statement = { name: 'select', kind: 'client', attributes: {}, isError: false } as const

describe('a tracer', () => {
  test('connects what runs at the same time with its own parent', async () => {
    const { spans, tracer } = start(1)
    const work = (name: string) =>
      tracer.run(name, 'internal', async (describe) => {
        describe({ n: 1 })
        await pause(1)
        tracer.note({ ...statement, name: `${name} statement` }, performance.now())
        await tracer.run(`${name} call`, 'client', () => pause(1))
        describe({ n: 2 })
      })
    await Promise.all([work('a'), work('b')])
    for (const name of ['a', 'b']) {
      const root = spans.find((span) => span.name === name)
      assert.ok(root)
      assert.deepEqual([root.parentId, root.attributes, root.isError], [undefined, { n: 2 }, false])
      const children = spans.filter(({ parentId }) => parentId === root.spanId)
      assert.deepEqual(
        children.map((span) => span.name),
        [`${name} statement`, `${name} call`],
      )
      for (const child of children) {
        assert.equal(child.traceId, root.traceId)
        assert.ok(root.start <= child.start && child.end <= root.end)
      }
    }
  })

  test('marks a span whose work fails, and passes the error on', async () => {
    const { spans, tracer } = start(1)
    const failure = new Error('no')
    await assert.rejects(
      tracer.run('work', 'internal', () => Promise.reject(failure)),
      failure,
    )
    await tracer.run('described', 'internal', async (describe) => describe({}, true))
    assert.deepEqual(
      spans.map(({ isError }) => isError),
      [true, true],
    )
  })

  test('records nothing of a trace that is not sampled, and no statement without a parent', async () => {
    const never = start(0)
    await never.tracer.run('work', 'internal', () =>
      never.tracer.run('call', 'client', () => pause(0)),
    )
    assert.deepEqual(never.spans, [])
    const always = start(1)
    always.tracer.note(statement, performance.now())
    assert.deepEqual(always.spans, [])
  })
})
