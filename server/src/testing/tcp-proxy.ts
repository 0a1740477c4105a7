import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import type { Lifetime } from './spawn-muster.ts'

type State = 'passing' | 'cut' | 'silent' | 'garbage' | 'refusing'

/** A proxy in front of a TCP port or a Unix socket. A test can break its connections. */
export async function startTcpProxy(lifetime: Lifetime, target: NetConnectOpts) {
  const pairs = new Set<readonly [Socket, Socket]>()
  /** Chunks that arrived in the silent state. */
  const held: (() => void)[] = []
  let state: State = 'passing'
  let received = 0
  let connections = 0
  let fault: { at: number; state: State } | undefined
  let trigger: { matches: (chunk: Buffer) => boolean; isPassed: boolean } | undefined
  let isLost: (chunk: Buffer) => boolean = () => false

  /** Passes chunks on, or holds them back in the silent state. */
  const createGate = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const pass = () => done(null, chunk)
        if (state === 'silent') held.push(pass)
        else pass()
      },
    })

  /** The same for chunks from the client, which can begin the silence. */
  const createTrigger = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (isLost(chunk)) return
        const found = trigger?.matches(chunk) ? trigger : undefined
        if (!found) return done(null, chunk)
        if (found.isPassed) this.push(chunk)
        enter('silent')
        held.push(() => (found.isPassed ? done() : done(null, chunk)))
      },
    })

  /** Counts the bytes from the target. A planned fault happens in the middle of a chunk. */
  const createCounter = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const due = fault && received + chunk.length >= fault.at ? fault : undefined
        const length = due ? due.at - received : chunk.length
        received += length
        if (!due) return done(null, chunk)
        this.push(chunk.subarray(0, length))
        fault = undefined
        setImmediate(() => {
          enter(due.state)
          if (due.state === 'silent') held.push(() => done(null, chunk.subarray(length)))
        })
      },
    })

  const server = createServer((near) => {
    connections += 1
    near.on('error', () => {})
    if (state === 'cut') return near.destroy()
    if (state === 'garbage') return near.end('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n')
    const far = connect(target)
    const pair = [near, far] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        pairs.delete(pair)
      })
    }
    near.pipe(createGate()).pipe(createTrigger()).pipe(far)
    far.pipe(createGate()).pipe(createCounter()).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const destroyAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  function enter(next: State): void {
    state = next
    fault = trigger = undefined
    if (next === 'cut' || next === 'garbage') destroyAll()
    if (next !== 'silent') for (const pass of held.splice(0)) pass()
    if (next !== 'refusing' && !server.listening) server.listen(port, '127.0.0.1')
  }
  lifetime.after(() => {
    destroyAll()
    server.close()
  })

  return {
    port,
    /** Bytes that came from the target so far. */
    received: () => received,
    /** How often a client has connected so far. */
    connections: () => connections,
    /** How many clients are connected. */
    open: () => pairs.size,
    /** Every connection breaks, and new ones break at once. */
    cut: () => enter('cut'),
    /** Every connection breaks, and new ones get an answer in another protocol. */
    sendGarbage: () => enter('garbage'),
    /** New connections are refused. Open ones stay. */
    refuse(): void {
      server.close()
      enter('refusing')
    },
    /** Connections stay open, and nothing comes through: a network that drops packets. */
    silence: () => enter('silent'),
    /** Silence begins with a chunk from a client: it is held back too, or passed on and not answered. */
    silenceAt(matches: (chunk: Buffer) => boolean, isPassed: boolean): void {
      trigger = { matches, isPassed }
    },
    /** A connection gets nothing through any more, from a chunk of its client on. Others work. */
    loseAt(matches: (chunk: Buffer) => boolean): void {
      isLost = matches
    },
    /** Enters a state after so many further bytes from the target. */
    failAfter(bytes: number, next: 'cut' | 'silent'): void {
      fault = { at: received + bytes, state: next }
    },
    /** New connections work again, and what waited in a silent one comes through. */
    restore: () => enter('passing'),
  }
}
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>

/** The same database address, through the proxy, with a password that trusting servers ignore. */
export function throughProxy(databaseUrl: string, proxy: TcpProxy, password = ''): string {
  const url = new URL(databaseUrl)
  url.port = String(proxy.port)
  url.password = password
  return url.href
}

/** A proxy in front of the PostgreSQL at this address. */
export const startDatabaseProxy = (lifetime: Lifetime, databaseUrl: string): Promise<TcpProxy> => {
  const { hostname, port } = new URL(databaseUrl)
  return startTcpProxy(lifetime, { host: hostname, port: Number(port) })
}
