import pg from 'pg'
import type { Hosts } from './hosts.ts'

interface Size {
  readonly max: number
  /** Milliseconds that a statement may take; 0 for as long as it takes. */
  readonly timeout: number
  /** Milliseconds to wait for a connection to be free; 0 for as long as it takes. */
  readonly wait: number
}

/** Connections to the server in use. One to a server that was left is never given to anyone. */
export function openPool(hosts: Hosts, { max, timeout, wait }: Size) {
  const pool = new pg.Pool({
    max,
    Client: hosts.Client,
    connectionTimeoutMillis: wait,
    query_timeout: timeout,
    onConnect: hosts.check,
  })
  // A connection that breaks, idle or in use, is replaced; without listeners it would end the process.
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

  return {
    options: pool.options,
    async take(): Promise<pg.PoolClient> {
      for (;;) {
        const client = await connect()
        if (hosts.isInUse(client)) return client
        client.release(true)
      }
    },
    leave: hosts.leave,
    end: () => pool.end(),
  }
}
export type Pool = ReturnType<typeof openPool>
