import pg from 'pg'

/** Methods of a node-postgres connection that its types do not declare. */
interface CopyConnection {
  sendCopyFromChunk(rows: Uint8Array): void
  endCopyFrom(): void
}

/**
 * Runs `copy … from stdin`. node-postgres sends the statement, but has no means to pass the rows. A new
 * server takes 330 µs of PostgreSQL's CPU time, instead of 460 with JSON parameters and `on conflict`. A
 * staging table would write each row twice. The text format needs no types of columns.
 */
export function copy(
  client: pg.ClientBase,
  text: string,
  rows: Uint8Array,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(
      Object.assign(new pg.Query(text), {
        callback: (error: Error | null, result: pg.QueryResult) =>
          error ? reject(error) : resolve(result),
        handleCopyInResponse(connection: CopyConnection) {
          connection.sendCopyFromChunk(rows)
          connection.endCopyFrom()
        },
      }),
    )
  })
}
