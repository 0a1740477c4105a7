import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { createFrameSplitter, encodeFrame, type Frame } from '../sources/libvirt/frame.ts'
import {
  domainEvents,
  keepaliveProcedures,
  messageTypes,
  programs,
} from '../sources/libvirt/protocol.ts'
import { writeDomainHandle } from '../sources/libvirt/records.ts'
import { createXdrReader, createXdrWriter } from '../sources/libvirt/xdr.ts'
import {
  createResponses,
  describeError,
  FakeError,
  FakeSilence,
  notSupported,
  type FakeDomain,
  type FakeHost,
} from './fake-libvirt-responses.ts'
import type { Lifetime } from './spawn-muster.ts'

/** What happens instead of a response. */
export type FakeFault =
  /** Nothing at all. */
  | 'silence'
  /** Bytes that are not a message. */
  | 'garbage'
  /** Half of the response, then the connection is closed. */
  | 'truncated'
  | 'closed'
  /** A message whose length says one gigabyte. */
  | 'huge'
  /** The answer to another request. */
  | 'stranger'
  | { readonly error: number; readonly message?: string }
  /** A body that replaces the real one. */
  | { readonly body: Buffer }

interface Options {
  readonly domains?: readonly FakeDomain[]
  readonly host?: Partial<FakeHost>
  /** By the affected procedure. */
  readonly faults?: Readonly<Record<number, FakeFault>>
  /** Listens by TLS with one of the certificates for tests, instead of on a socket. */
  readonly certificate?: 'issued' | 'expired' | 'elsewhere'
  /** What it sends after the handshake. */
  readonly welcome?: Buffer
  /** Milliseconds that it takes for each answer. */
  readonly delay?: number
}

const readFixture = (name: string) =>
  readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const hostUuid = '6d757374-6572-4000-8000-000000000001'

/**
 * A fake libvirt daemon: real sockets and the real protocol, but no domains behind it. It is for faults that
 * a real daemon cannot produce, and for tests that need many changes quickly. Its responses are copied from a
 * real daemon, which the tests under testing/libvirt use.
 */
export async function startFakeLibvirt(lifetime: Lifetime, options: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-fake-libvirt-'))
  const path = join(folder, 'libvirt-sock')
  const domains = new Map((options.domains ?? []).map((domain) => [domain.uuid, domain]))
  const faults = new Map<number, FakeFault>(
    Object.entries(options.faults ?? {}).map(([procedure, fault]) => [Number(procedure), fault]),
  )
  const answers = createResponses(domains, { uuid: hostUuid, ...options.host })
  const sockets = new Set<Socket>()
  const requests: number[] = []
  const bodies = new Map<number, Buffer>()
  let pongs = 0
  let connections = 0
  let mostInFlight = 0

  function answer(frame: Frame): Frame | undefined {
    const writer = createXdrWriter()
    const fault = faults.get(frame.procedure)
    const reply = { ...frame, type: messageTypes.reply, status: 0 }
    try {
      if (typeof fault === 'object' && 'body' in fault) return { ...reply, body: fault.body }
      if (typeof fault === 'object') throw new FakeError(fault.error, fault.message)
      const say = answers[frame.procedure]
      if (!say) throw new FakeError(notSupported)
      say(createXdrReader(frame.body), writer)
      return { ...reply, body: writer.finish() }
    } catch (error) {
      if (error instanceof FakeSilence) return undefined
      if (!(error instanceof FakeError)) throw error
      return { ...reply, status: 1, body: describeError(error) }
    }
  }

  /** Whether there was a response of any kind. */
  function respond(socket: Socket, frame: Frame): boolean {
    const fault = faults.get(frame.procedure)
    const reply = answer(frame)
    // A write after the end would reset the connection, and the client would lose the half answer.
    if (fault === 'silence' || !reply || socket.writableEnded) return false
    const bytes = encodeFrame(reply)
    if (fault === 'stranger') bytes.writeUInt32BE(frame.serial + 1_000, 20)
    if (fault === 'closed') socket.destroy()
    else if (fault === 'garbage') socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
    else if (fault === 'truncated') socket.end(bytes.subarray(0, bytes.length / 2))
    else if (fault === 'huge') socket.write(Buffer.from('40000000', 'hex'))
    else socket.write(bytes)
    return true
  }

  function serve(socket: Socket): void {
    const splitter = createFrameSplitter()
    let inFlight = 0
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      for (const frame of splitter.push(chunk)) {
        if (frame.program === programs.keepalive) pongs += 1
        else {
          requests.push(frame.procedure)
          bodies.set(frame.procedure, frame.body)
          inFlight += 1
          mostInFlight = Math.max(mostInFlight, inFlight)
          const reply = () => {
            if (respond(socket, frame)) inFlight -= 1
          }
          if (options.delay === undefined) reply()
          else setTimeout(reply, options.delay)
        }
      }
    })
  }

  const { certificate, welcome = Buffer.from([1]) } = options
  const server =
    certificate === undefined
      ? createPlainServer(serve)
      : createTlsServer(
          {
            key: readFixture('test-only.key.pem'),
            cert: readFixture(`test-only-${certificate}.cert.pem`),
          },
          (socket) => {
            serve(socket)
            socket.write(welcome)
          },
        )
  server.on('tlsClientError', () => {})
  if (certificate === undefined) server.listen(path)
  else server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const tell = (frame: Omit<Frame, 'status' | 'serial'>) => {
    for (const socket of sockets) socket.write(encodeFrame({ ...frame, serial: 0, status: 0 }))
  }
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  lifetime.after(close)

  return {
    address:
      certificate === undefined
        ? `qemu+unix:///system?socket=${path}`
        : `qemu+tls://localhost:${(server.address() as AddressInfo).port}/system`,
    /** May be changed at any time. */
    domains,
    faults,
    answers,
    /** The procedures that were called, in order. */
    requests,
    /** The last body of each procedure. */
    bodies,
    pongs: () => pongs,
    /** How often somebody connected, and how many do now. */
    connections: () => ({ ever: connections, now: sockets.size }),
    /** The most calls of one connection that waited for their answer at the same time. */
    mostInFlight: () => mostInFlight,
    /** Sends an event about a domain, which may no longer exist. */
    sendEvent(
      { name, uuid }: Pick<FakeDomain, 'name' | 'uuid'>,
      kind: keyof typeof domainEvents = 'lifecycle',
    ): void {
      const writer = createXdrWriter().int(1)
      writeDomainHandle(writer, { name, uuid, id: -1 }).int(0).int(0)
      const { procedure } = domainEvents[kind]
      const body = writer.finish()
      tell({ program: programs.remote, procedure, type: messageTypes.event, body })
    },
    ping: (body = Buffer.alloc(0)) =>
      tell({
        program: programs.keepalive,
        procedure: keepaliveProcedures.ping,
        type: messageTypes.event,
        body,
      }),
    /** Stops reading, and so answers nothing. */
    freeze(): void {
      for (const socket of sockets) socket.pause()
    },
    /** Ends every connection, as a restart would. */
    drop(): void {
      for (const socket of sockets) socket.destroy()
    },
    close,
  }
}
export type FakeLibvirt = Awaited<ReturnType<typeof startFakeLibvirt>>
