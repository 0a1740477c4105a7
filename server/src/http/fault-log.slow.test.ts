import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../log.ts'
import { createListener } from './listener.ts'

/** A listener with routes that fail, and what it logs. */
function createFailing() {
  const written: string[] = []
  const logger = createLogger('info', { write: (text: string) => void written.push(text) })
  const settings = {
    authUrl: 'http://localhost',
    trustedProxies: [],
    tls: undefined,
    clock: Date.now,
    logger,
  }
  const app = createListener(settings, () => ({}))
  app.get('/first/:id', (request) => {
    throw new Error(`first failure: ${request.id} ${'x'.repeat(1_000)}`)
  })
  app.get('/second', () => {
    throw new TypeError('second failure')
  })
  const fail = async (path: string) => {
    const { statusCode } = await app.inject(path)
    assert.equal(statusCode, 500)
  }
  return { app, fail, written, log: () => written.join('') }
}

test('SEC-68: 10,000 server errors take less than 5 MB of log, and a summary counts the rest', async () => {
  const { app, fail, log } = createFailing()
  for (let count = 0; count < 10_000; count += 1) await fail(`/first/${count}`)
  await app.close()
  assert.ok(Buffer.byteLength(log()) < 1_000_000, `${Buffer.byteLength(log())} bytes`)
  assert.match(log(), /"left_out":9990/)
})

test('a frequent server error does not hide another one', async () => {
  const { app, fail, log } = createFailing()
  for (let count = 0; count < 100; count += 1) await fail(`/first/${count}`)
  assert.doesNotMatch(log(), /second failure/)
  await fail('/second')
  assert.match(log(), /second failure/)
  await app.close()
})

test('the summary is written once a minute, and then errors are logged again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { fail, log, written } = createFailing()
  for (let count = 0; count < 12; count += 1) await fail('/second')
  assert.doesNotMatch(log(), /left_out/)
  t.mock.timers.tick(60_000)
  assert.match(log(), /"left_out":2/)
  const lines = written.length
  await fail('/second')
  assert.equal(written.length, lines + 1)
})
