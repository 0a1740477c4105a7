import pg from 'pg'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import type { PoolCounts } from '../database-statistics.ts'
import type { Hosts } from './hosts.ts'
import type { SilenceGuard } from './silence.ts'

interface Size {
  readonly max: number
  /** Milliseconds that a statement may take; 0 for no limit. */
  readonly timeout: number
  /** Milliseconds to wait for a free connection; 0 for no limit. */
  readonly wait: number
  /** Ends a wait for a database that no longer answers. Default: waits. */
  readonly guard?: SilenceGuard
  /** Ends a statement whose connection is lost. Default: only the time limit does. */
  readonly watch?: <Result>(client: pg.ClientBase, work: Promise<Result>) => Promise<Result>
}

/** Milliseconds to open a connection while a request waits for it. */
const longestConnect = 2_000

/** The process of PostgreSQL that serves a connection, or what a pooler reports instead. */
export const processIdOf = (client: pg.ClientBase) =>
  (client as unknown as { processID: number | null }).processID

/**
 * Whether no pooler is in between. A pooler in transaction mode reports a process of its own, and
 * may run each transaction in another session.
 */
async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid === processIdOf(client)
}

/** A pool of connections to the server in use. Connections to an earlier server are not reused. */
export function openPool(hosts: Hosts, size: Size) {
  const { max, timeout, wait, guard = (work) => work, watch = (_, work) => work } = size
  // The pool has one time limit for both a free connection and a new one, which can take longer.
  const queue = createBoundedQueue({
    name: 'database statements',
    capacity: max,
    ...(wait > 0 && { maxWait: wait }),
  })
  const direct = new WeakMap<pg.ClientBase, Promise<boolean>>()
  const pool = new pg.Pool({
    max,
    Client: hosts.Client,
    connectionTimeoutMillis: wait > 0 ? longestConnect : 0,
    query_timeout: timeout,
    onConnect: hosts.check,
  })
  // The pool replaces a broken connection; without these listeners its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  async function connect(): Promise<pg.PoolClient> {
    await hosts.ready()
    try {
      return await pool.connect()
    } catch (error) {
      if (!hosts.leave()) throw error
      await hosts.ready()
      return await pool.connect()
    }
  }

  async function connectToHostInUse(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await connect()
      if (hosts.isInUse(client)) return client
      client.release(true)
    }
  }

  async function take() {
    const leaveQueue = await queue.acquire()
    try {
      const client = await connectToHostInUse()
      const release = (isBroken: boolean) => {
        client.release(isBroken)
        leaveQueue()
      }
      return { client, release }
    } catch (error) {
      leaveQueue()
      throw error
    }
  }

  return {
    options: pool.options,
    guard,
    watch,
    async take(since: number) {
      const taking = take()
      try {
        return await guard(taking, since)
      } catch (error) {
        taking.then(
          ({ release }) => release(false),
          () => {},
        )
        throw error
      }
    },
    /** Whether statements can be prepared for the lifetime of the connection. */
    isDirect(client: pg.ClientBase): Promise<boolean> {
      const known = direct.get(client) ?? isDirect(client)
      direct.set(client, known)
      return known
    },
    leave: hosts.leave,
    counts: (): PoolCounts => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: queue.counts().waiting,
      max,
    }),
    end: () => pool.end(),
  }
}
export type Pool = ReturnType<typeof openPool>
