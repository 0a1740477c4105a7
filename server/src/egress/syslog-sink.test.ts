import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { DeliveryError } from '../domain/audit/event-sink.ts'
import { eventually } from '../testing/eventually.ts'
import { makeEvent } from '../testing/identity-world/identity-records.ts'
import { issuedCertificate, privateKey, testAuthority } from '../testing/secure-server.ts'
import { createSourceAddressRule } from './allowed-addresses.ts'
import { createEgress } from './egress.ts'
import { createSyslogSink, type SyslogOptions } from './syslog-sink.ts'

const egress = createEgress(createSourceAddressRule(['127.0.0.1', 'localhost']))
const never = new AbortController().signal

/** The messages in a stream with the length before each. */
function readFrames(bytes: Buffer): string[] {
  const frames: string[] = []
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at)
    const end = space + 1 + Number(bytes.subarray(at, space).toString())
    frames.push(bytes.subarray(space + 1, end).toString())
    at = end
  }
  return frames
}

async function startReceiver(
  context: TestContext,
  create: (serve: (socket: Socket) => void) => Server,
) {
  const sockets: Socket[] = []
  let received = Buffer.alloc(0)
  const server = create((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  context.after(close)
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async frames(count: number): Promise<string[]> {
      await eventually(`${count} frames arrive`, () => readFrames(received).length >= count)
      return readFrames(received)
    },
  }
}

function createSink(context: TestContext, port: number, options: Partial<SyslogOptions> = {}) {
  const sink = createSyslogSink(egress, {
    host: 'localhost',
    port,
    isSecure: false,
    ca: undefined,
    hostname: 'node-1',
    ...options,
  })
  context.after(() => sink.close())
  return sink
}

describe('a syslog server', () => {
  test('gets events over one connection, in the format of RFC 5424', async (t) => {
    const { port, frames, sockets } = await startReceiver(t, createServer)
    const sink = createSink(t, port)
    const [first, second] = [makeEvent(), makeEvent({ result: 'denied', action: 'delete' })]
    await sink.send(first, never)
    await sink.send(second, never)
    const [one = '', two = ''] = await frames(2)
    const data = `id="${first.id}" action="login" target_type="user" target_id="user-alice" user="alice" ip="192.0.2.7" result="success"`
    const head = `<110>1 2026-01-01T00:00:00.000000Z node-1 muster - login [muster@32473 ${data}] `
    assert.ok(one.startsWith(head), one)
    assert.deepEqual(JSON.parse(one.slice(head.length)), {
      ...first,
      time: '2026-01-01T00:00:00.000000Z',
    })
    assert.ok(two.startsWith('<108>1 2026-01-01T00:00:00.000000Z node-1 muster - delete ['), two)
    assert.equal(sockets.length, 1)
  })

  test('gets no line breaks and no parameters from names', async (t) => {
    const { port, frames } = await startReceiver(t, createServer)
    const user = 'a" evil="1"] <0>1\r\n\u2028\u0085\\ 名'
    await createSink(t, port).send(makeEvent({ user, action: 'lögin x' }), never)
    const [frame = ''] = await frames(1)
    assert.doesNotMatch(frame, /[\p{Cc}\u2028\u2029]/u)
    assert.ok(frame.includes(String.raw` user="a\" evil=\"1\"\] <0>1    \\ 名" `), frame)
    assert.ok(frame.includes(' muster - l_gin_x ['), frame)
    const json = frame.slice(frame.indexOf('] {') + 2)
    assert.equal((JSON.parse(json) as { user: string }).user, user)
  })

  test('is checked by its certificate', async (t) => {
    const tls = { cert: issuedCertificate, key: privateKey }
    const { port, frames } = await startReceiver(t, (serve) => createTlsServer(tls, serve))
    const event = makeEvent()
    await createSink(t, port, { isSecure: true, ca: testAuthority }).send(event, never)
    assert.match((await frames(1))[0] ?? '', new RegExp(event.id))
    await assert.rejects(
      createSink(t, port, { isSecure: true }).send(makeEvent(), never),
      /is not trusted/,
    )
  })

  test('that closes the connection gets the next event on a new one', async (t) => {
    const { port, sockets, frames } = await startReceiver(t, createServer)
    const sink = createSink(t, port)
    await sink.send(makeEvent(), never)
    await frames(1)
    sockets[0]?.resetAndDestroy()
    // Until the reset arrives a write still succeeds: syslog has no acknowledgement.
    while (sockets.length < 2) await sink.send(makeEvent(), never).catch(assertDeliveryError)
    const last = makeEvent({ action: 'last' })
    await sink.send(last, never)
    for (let count = 2; !(await frames(count)).at(-1)?.includes(last.id); count += 1);
  })

  test('whose closed connection was noticed gets the next event without a failure', async (t) => {
    const { port, sockets, frames } = await startReceiver(t, createServer)
    const sink = createSink(t, port)
    for (let count = 1; count <= 3; count += 1) {
      await sink.send(makeEvent(), never)
      await frames(count)
      const socket = sockets[count - 1]
      assert.ok(socket)
      socket.end()
      // The other end has closed it, too.
      await once(socket, 'close')
    }
    assert.equal(sockets.length, 3)
  })

  test('that is not there or not allowed is an error', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await assert.rejects(createSink(t, port).send(makeEvent(), never), /refuses the connection/)
    const elsewhere = createSink(t, port, { host: '127.0.0.2' })
    await assert.rejects(elsewhere.send(makeEvent(), never), /is not allowed/)
  })

  test('that does not read has limited time', async (t) => {
    const { port } = await startReceiver(t, (serve) =>
      createServer({ pauseOnConnect: true }, serve),
    )
    const sink = createSink(t, port, { timeLimit: 100 })
    const large = makeEvent({ target_name: 'x'.repeat(4_000_000) })
    await assert.rejects(async () => {
      for (;;) await sink.send(large, never)
    }, /no response within/)
  })
})

function assertDeliveryError(error: unknown): void {
  assert.ok(error instanceof DeliveryError)
}
