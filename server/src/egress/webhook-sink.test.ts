import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { DeliveryError } from '../domain/audit/event-sink.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { startSecureServer, testAuthority } from '../testing/secure-server.ts'
import { createSourceAddressRule } from './allowed-addresses.ts'
import { createEgress } from './egress.ts'
import { signWebhook, createWebhookSink, type WebhookOptions } from './webhook-sink.ts'

const egress = createEgress(createSourceAddressRule(['127.0.0.1', 'localhost']))
const never = new AbortController().signal

async function listen(
  context: TestContext,
  answer: (...call: Parameters<RequestListener>) => unknown,
): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function createSink(context: TestContext, url: string, options: Partial<WebhookOptions> = {}) {
  const sink = createWebhookSink(egress, {
    url,
    keys: [Buffer.alloc(32, 1)],
    ca: undefined,
    source: 'https://muster.example.org',
    clock: Date.now,
    ...options,
  })
  context.after(() => sink.close())
  return sink
}

const failsWith = (status: number, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof DeliveryError)
  assert.equal(error.status, status)
  assert.match(error.message, message)
  return true
}

describe('the signature of a webhook', () => {
  test('is that of the example of Standard Webhooks', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
    assert.deepEqual(signWebhook([key], id, 1_614_265_330_999, '{"test": 2432232314}'), {
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('is there for each key', () => {
    const [first, second] = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)]
    const signatureOf = (...keys: Buffer[]) => signWebhook(keys, 'a', 0, '')['webhook-signature']
    assert.equal(signatureOf(first, second), `${signatureOf(first)} ${signatureOf(second)}`)
  })
})

describe('a webhook', () => {
  test('gets each event as a CloudEvent', async (t) => {
    const seen: { headers: IncomingHttpHeaders; body: string }[] = []
    const url = await listen(t, async (request, response) => {
      seen.push({ headers: request.headers, body: await text(request) })
      response.writeHead(202).end()
    })
    const event = makeEvent({ target_name: '名前\n', changes: { enabled: [true, false] } })
    assert.equal(await createSink(t, `${url}/in?a=b`).send(event, never), 202)
    const [{ headers, body } = { headers: {}, body: '' }] = seen
    assert.equal(headers['content-type'], 'application/cloudevents+json; charset=UTF-8')
    assert.equal(headers['webhook-id'], event.id)
    const time = '2026-01-01T00:00:00.000000Z'
    assert.deepEqual(JSON.parse(body), {
      specversion: '1.0',
      id: event.id,
      source: 'https://muster.example.org',
      type: 'muster.user.login',
      subject: 'user-alice',
      time,
      datacontenttype: 'application/json',
      data: { ...event, time },
    })
  })

  test('checks the certificate', async (t) => {
    const { url } = await startSecureServer(t, (_, response) => response.end())
    assert.equal(await createSink(t, url, { ca: testAuthority }).send(makeEvent(), never), 200)
    await assert.rejects(
      createSink(t, url).send(makeEvent(), never),
      failsWith(0, /is not trusted/),
    )
  })

  test('fails with the status', async (t) => {
    let status = 0
    const url = await listen(t, (_, response) => response.writeHead(status).end())
    const sink = createSink(t, url)
    for (const next of [400, 403, 429, 500]) {
      status = next
      await assert.rejects(
        sink.send(makeEvent(), never),
        failsWith(next, /answered with the status/),
      )
    }
  })

  test('is not redirected', async (t) => {
    const paths: (string | undefined)[] = []
    const url = await listen(t, (request, response) => {
      paths.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await assert.rejects(
      createSink(t, url).send(makeEvent(), never),
      failsWith(307, /Redirects are not followed/),
    )
    assert.deepEqual(paths, ['/'])
  })

  test('must have an allowed address', async (t) => {
    for (const url of ['http://127.0.0.2:9', 'http://169.254.169.254/']) {
      await assert.rejects(
        createSink(t, url).send(makeEvent(), never),
        failsWith(0, /is not allowed/),
      )
    }
  })

  test('that closes a connection as it is reused gets the event on a new one', async (t) => {
    const events: string[] = []
    const closed: unknown[] = []
    const requestsOf = new Map<unknown, number>()
    const url = await listen(t, (request, response) => {
      const requests = (requestsOf.get(request.socket) ?? 0) + 1
      requestsOf.set(request.socket, requests)
      if (requests === 1) {
        events.push(request.headers['webhook-id'] as string)
        response.end()
      } else {
        closed.push(request.socket.destroy())
      }
    })
    const sink = createSink(t, url)
    const sent: string[] = []
    // The first connection can be reused shortly after its response.
    while (closed.length < 2) {
      const event = makeEvent()
      assert.equal(await sink.send(event, never), 200)
      sent.push(event.id)
      await new Promise(setImmediate)
    }
    assert.deepEqual(events, sent)
  })

  test('that closes new connections is an error', async (t) => {
    const url = await listen(t, (request) => request.socket.destroy())
    await assert.rejects(createSink(t, url).send(makeEvent(), never), failsWith(0, /closed/))
  })

  test('has limited time', async (t) => {
    const url = await listen(t, () => {})
    await assert.rejects(
      createSink(t, url, { timeLimit: 50 }).send(makeEvent(), never),
      failsWith(0, /no response within/),
    )
  })

  test('may answer at any length, which is not read', async (t) => {
    const closed = Promise.withResolvers<void>()
    const chunk = Buffer.alloc(65_536)
    const url = await listen(t, (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', write).on('close', closed.resolve)
      write()
    })
    assert.equal(await createSink(t, url).send(makeEvent(), never), 200)
    await closed.promise
  })
})
