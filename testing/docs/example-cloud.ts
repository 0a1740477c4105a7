import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

interface Machine {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly cpus: number
  readonly memory_mb: number
  readonly address: string
  readonly team: string
}

interface Job {
  readonly id: string
  state: 'running' | 'done' | 'failed'
  error: string
}

const pageSize = 200

/** Starts the API that `docs/adding-a-source.md` makes up, with what its tests call. */
export async function startExample() {
  const token = 'token-of-the-example'
  const machines = new Map<string, Machine>()
  /** By the id of their machine. */
  const jobs = new Map<string, Job[]>()
  const sessions = new Set<string>()
  const watchers = new Set<Socket>()
  let created = 0
  let logins = 0

  function tell(id: string): void {
    const event = JSON.stringify({ machine: id })
    for (const socket of watchers) {
      socket.write(Buffer.concat([Buffer.from([0x81, event.length]), Buffer.from(event)]))
    }
  }

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
    tell(id)
  }

  function cutEvents(): void {
    for (const socket of watchers) socket.destroy()
  }

  /** Ends the job that runs for a machine. */
  function endJob(id: string, error = ''): void {
    const job = jobs.get(id)?.at(-1)
    if (job) Object.assign(job, { state: error === '' ? 'done' : 'failed', error })
  }

  function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const send = (status: number, body: object) =>
      response.writeHead(status).end(JSON.stringify(body))
    if (pathname === '/login') {
      const session = `session-${(logins += 1)}`
      sessions.add(session)
      return void send(200, { token: session, expires_in: 100 })
    }
    const [, given = ''] = headers.authorization?.split(' ') ?? []
    if (given !== token && !sessions.has(given)) return void send(401, {})
    if (pathname === '/networks') return void send(200, { networks: [{ id: 'n-1', name: 'lan' }] })
    if (pathname === '/machines') {
      const after = searchParams.get('after') ?? ''
      const rest = [...machines.values()].filter(({ id }) => id > after)
      const page = rest.slice(0, pageSize)
      const next = rest.length > page.length ? page.at(-1)?.id : ''
      return void send(200, { machines: page, next })
    }
    const [, , id = '', part] = pathname.split('/')
    if (part === 'jobs') {
      const after = searchParams.get('after') ?? ''
      return void send(200, { jobs: (jobs.get(id) ?? []).filter((job) => job.id > after) })
    }
    if (part !== undefined) {
      const ofMachine = jobs.get(id) ?? []
      if (ofMachine.at(-1)?.state === 'running') return void send(409, {})
      jobs.set(id, [...ofMachine, { id: `j-${ofMachine.length + 1}`, state: 'running', error: '' }])
      return void send(202, {})
    }
    const machine = machines.get(id)
    send(machine ? 200 : 404, machine ?? { error: 'no such machine' })
  }

  const server = createServer(answer).listen(0, '127.0.0.1')
  server.on('upgrade', ({ headers }, socket: Socket) => {
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${hash('sha1', key, 'base64')}\r\n\r\n`,
    )
    // A ping: events are delivered from now on.
    socket.write(Buffer.from([0x89, 0]))
    watchers.add(socket)
    socket.on('close', () => watchers.delete(socket))
    socket.on('error', () => {})
  })
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
    async remove(id: string) {
      machines.delete(id)
      tell(id)
    },
    endJob,
    jobsOf: (id: string): readonly Job[] => jobs.get(id) ?? [],
    logins: () => logins,
    revokeSessions: () => sessions.clear(),
    cutEvents,
    close() {
      cutEvents()
      server.closeAllConnections()
      server.close()
    },
  }
}
export type ExampleSimulator = Awaited<ReturnType<typeof startExample>>
