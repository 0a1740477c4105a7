import { once } from 'node:events'
import { connect } from 'node:net'
import type pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import type { Statement } from '../database.ts'
import { copy } from './copy.ts'
import { isConnectionLost, toError, unavailable } from './errors.ts'
import type { Pool } from './pool.ts'

/** Properties of a node-postgres connection that its types do not declare. */
interface Backend {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
}

const cancelRequest = 80_877_102

/**
 * Cancels the statement that a connection is running. The protocol does this on a second connection.
 * If that fails, the statement runs to its end and its result is dropped.
 */
async function cancel({ host, port, processID, secretKey }: Backend): Promise<void> {
  if (processID === null || secretKey === null) return
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(cancelRequest, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on('error', () => {})
  socket.setTimeout(2_000, () => socket.destroy())
  socket.write(request)
  // PostgreSQL closes the connection when it is done. A pooler needs the cancelled one until then.
  await once(socket, 'close').catch(() => {})
}

/**
 * Takes a connection from the pool and translates its errors. A connection that broke, or did not answer in
 * time, is not reused. `since` is when the work began.
 */
export async function takeClient(pool: Pool, since = performance.now()) {
  const { client, release } = await pool.take(since).catch((error: unknown) => {
    throw error instanceof PlatformError ? error : unavailable(error)
  })
  let isBroken = false
  let cancelled: Promise<void> | undefined

  async function run(
    text: string,
    parameters: readonly unknown[],
    { copied, name }: Pick<Statement, 'copied' | 'name'>,
  ): Promise<pg.QueryResult> {
    if (copied) return await copy(client, text, copied)
    const values = [...parameters]
    return name !== undefined && (await pool.isDirect(client))
      ? await client.query({ name, text, values })
      : await client.query(text, values)
  }

  return {
    isBroken: () => isBroken,
    async query(
      text: string,
      parameters: readonly unknown[] = [],
      statement: Pick<Statement, 'copied' | 'name'> = {},
    ): Promise<pg.QueryResult> {
      try {
        return await pool.guard(pool.watch(client, run(text, parameters, statement)), since, true)
      } catch (error) {
        // Timeouts are enforced here, not by a session setting: a pooler shares sessions among clients.
        if ((error as Error).message === 'Query read timeout') {
          cancelled = cancel(client as unknown as Backend)
        }
        if (error instanceof PlatformError || isConnectionLost(error)) {
          isBroken = true
          pool.leave(client)
        }
        throw error instanceof PlatformError ? error : toError(error)
      }
    },
    /** A connection is closed only after its statement is cancelled. The caller does not wait for that. */
    release: () =>
      cancelled ? void cancelled.finally(() => release(isBroken)) : release(isBroken),
  }
}
