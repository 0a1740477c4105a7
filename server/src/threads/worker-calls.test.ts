import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test, type TestContext } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createCaller, serveCalls, type IncomingCall } from './worker-calls.ts'

type Incoming = IncomingCall<string, string, string>

/** A caller and what serves it, connected as two threads are. */
function connect(
  t: TestContext,
  answer: (calls: readonly Incoming[]) => void,
  onOther?: (message: unknown) => void,
) {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  serveCalls<string, string, string>(port2, answer, onOther)
  const caller = createCaller<string, string, string>(port1, {
    toError: (failure) => new Error(failure),
    maxBatch: 2,
  })
  return { caller, port: port1 }
}

describe('a call to another thread', () => {
  test('gets its own response, whatever the order of the answers', async (t) => {
    const waiting: Incoming[] = []
    const { caller } = connect(t, (calls) => {
      waiting.push(...calls)
      if (waiting.length < 3) return
      for (const { request, respond } of waiting.toReversed()) respond(`${request}!`)
    })
    const answers = ['a', 'b', 'c'].map((request) => caller.call(request))
    assert.deepEqual(await Promise.all(answers), ['a!', 'b!', 'c!'])
  })

  test('fails alone, with the error that the other thread described', async (t) => {
    const { caller } = connect(t, (calls) => {
      for (const { request, respond, fail } of calls) {
        if (request === 'bad') fail('disk full')
        else respond(request)
      }
    })
    const [good, bad] = [caller.call('good'), caller.call('bad')]
    await assert.rejects(bad, /disk full/)
    assert.equal(await good, 'good')
  })

  test('travels with others of the same turn, and is handed over with all that have arrived', async (t) => {
    const sizes: number[] = []
    const { caller } = connect(t, (calls) => {
      sizes.push(calls.length)
      for (const { respond } of calls) respond('')
    })
    await Promise.all(['a', 'b', 'c', 'd'].map((request) => caller.call(request)))
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      4,
    )
    assert.ok(sizes.length < 4, `handed over in ${sizes.length} parts`)
  })

  test('fails when the other thread ends, and so does every later one', async (t) => {
    const { caller, port } = connect(t, () => {})
    port.on('close', () => caller.end(new Error('the thread has ended')))
    const pending = caller.call('a')
    const closed = once(port, 'close')
    port.close()
    await closed
    await assert.rejects(pending, /has ended/)
    assert.equal(caller.hasEnded(), true)
    await assert.rejects(caller.call('b'), /has ended/)
  })

  test('is answered before a message that came after it is handled', async (t) => {
    const events: string[] = []
    const { caller, port } = connect(
      t,
      (calls) => {
        for (const { request, respond } of calls) {
          events.push(request)
          respond(request)
        }
      },
      (message) => events.push(String(message)),
    )
    const answer = caller.call('write', true)
    port.postMessage('close')
    await answer
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(events, ['write', 'close'])
  })
})
