import { once } from 'node:events'
import { connect } from 'node:net'
import type pg from 'pg'
import { isConnectionLost, toError, unavailable } from './errors.ts'
import type { Pool } from './pool.ts'

/** What node-postgres knows of a connection and does not declare. */
interface Backend {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
}

const cancelRequest = 80_877_102

/**
 * Stops the statement that a connection is running, as the protocol has it: by another connection.
 * Where this fails the statement runs to its end, and nobody waits for it.
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
  // The server closes it when it is done. A pooler needs the connection that is to be stopped until then.
  await once(socket, 'close').catch(() => {})
}

/**
 * A connection from the pool, whose errors are those that the rest of Muster understands. One that
 * broke, or did not answer in time, is not given to anyone again.
 */
export async function takeClient(pool: Pool) {
  const client = await pool.take().catch((error: unknown) => {
    throw unavailable(error)
  })
  let isBroken = false
  return {
    isBroken: () => isBroken,
    async query(text: string, parameters: readonly unknown[] = []): Promise<pg.QueryResult> {
      try {
        return await client.query(text, [...parameters])
      } catch (error) {
        // The limit of time is kept here, not by a setting of the session: a pooler between shares
        // sessions among many.
        if ((error as Error).message === 'Query read timeout') {
          await cancel(client as unknown as Backend)
        }
        if (isConnectionLost(error)) {
          isBroken = true
          pool.leave(client)
        }
        throw toError(error)
      }
    },
    release: () => client.release(isBroken),
  }
}
