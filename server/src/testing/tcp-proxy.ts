import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Lifetime } from './spawn-muster.ts'

/** A proxy between Muster and its database, whose connections a test can cut. */
async function startTcpProxy(lifetime: Lifetime, target: { host: string; port: number }) {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'passing' | 'cut' | 'silent' = 'passing'

  const join = ([near, far]: readonly [Socket, Socket]) => {
    near.pipe(far)
    far.pipe(near)
  }

  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
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
    if (state === 'passing') join(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const destroyAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  lifetime.after(() => {
    destroyAll()
    server.close()
  })

  return {
    port: (server.address() as AddressInfo).port,
    /** Every connection breaks, and new ones break at once. */
    cut(): void {
      state = 'cut'
      destroyAll()
    },
    /** Connections stay open, and nothing comes through: a network that swallows packets. */
    silence(): void {
      state = 'silent'
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.pause()
        far.pause()
      }
    },
    /** New connections work again, and what waited in a silent one comes through. */
    restore(): void {
      if (state === 'silent') for (const pair of pairs) join(pair)
      state = 'passing'
    },
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
