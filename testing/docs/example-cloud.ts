import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

interface Machine {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly cpus: number
  readonly memory_mb: number
  readonly address: string
  readonly team: string
}

const pageSize = 200

/** Starts the API that `docs/adding-a-source.md` makes up, with what its tests call. */
export async function startExample() {
  const token = 'token-of-the-example'
  const machines = new Map<string, Machine>()
  let created = 0

  function add(name: string, more: Partial<Machine> = {}): string {
    const id = `m-${String((created += 1)).padStart(6, '0')}`
    const usual = { state: 'on', cpus: 2, memory_mb: 512, address: '10.0.0.1', team: 'a' }
    machines.set(id, { id, name, ...usual, ...more })
    return id
  }

  function change(id: string, changes: Partial<Machine>): void {
    const machine = machines.get(id)
    if (!machine) throw new Error(`No machine ${id}`)
    machines.set(id, { ...machine, ...changes })
  }

  function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const send = (status: number, body: object) =>
      response.writeHead(status).end(JSON.stringify(body))
    if (headers.authorization !== `Bearer ${token}`) return void send(401, {})
    if (pathname === '/networks') return void send(200, { networks: [{ id: 'n-1', name: 'lan' }] })
    if (pathname === '/machines') {
      const after = searchParams.get('after') ?? ''
      const rest = [...machines.values()].filter(({ id }) => id > after)
      const page = rest.slice(0, pageSize)
      const next = rest.length > page.length ? page.at(-1)?.id : ''
      return void send(200, { machines: page, next })
    }
    const machine = machines.get(basename(pathname))
    send(machine ? 200 : 404, machine ?? { error: 'no such machine' })
  }

  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    size: () => machines.size,
    create: async (name: string, more?: Partial<Machine>) => add(name, more),
    async createMany(count: number) {
      for (let number = 1; number <= count; number += 1) add(`many ${number}`)
    },
    stop: async (id: string) => change(id, { state: 'off' }),
    start: async (id: string) => change(id, { state: 'on' }),
    rename: async (id: string, name: string) => change(id, { name }),
    remove: async (id: string) => void machines.delete(id),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
export type ExampleSimulator = Awaited<ReturnType<typeof startExample>>
