import type pg from 'pg'
import type { Query, Row } from '../database.ts'
import type { Execution } from '../slow-queries.ts'

interface Client {
  query(text: string, parameters?: readonly unknown[]): Promise<pg.QueryResult>
  isBroken(): boolean
  release(): void
}

interface Dependencies {
  /** A connection for reads that may take long. */
  readonly take: () => Promise<Client>
  /** Ends what another connection is doing. */
  readonly cancel: (backend: number) => Promise<unknown>
  /** How long a statement may take, in milliseconds. */
  readonly timeout: number
}

/** Runs reads from one moment of the data, in a transaction with a time limit, and cancels them. */
export function createSlowReader({ take, cancel, timeout }: Dependencies) {
  // In the transaction, so that it also works behind a pooler that hands out connections by transaction.
  const begin = `begin isolation level repeatable read read only; set local statement_timeout = ${timeout}; select pg_backend_pid() as pid`

  return function execute(queries: readonly Query[]): Execution {
    let isStopped = false
    let backend: number | undefined
    let cancelling: Promise<unknown> | undefined

    async function read(): Promise<Row[][]> {
      const client = await take()
      try {
        const results = (await client.query(begin)) as unknown as pg.QueryResult[]
        backend = Number((results[2]?.rows as Row[] | undefined)?.[0]?.['pid'])
        const answers: Row[][] = []
        for (const { sql, parameters } of queries) {
          if (isStopped) throw new Error('the query was stopped')
          answers.push((await client.query(sql, parameters)).rows as Row[])
        }
        return answers
      } finally {
        backend = undefined
        // The transaction stays open until then: what runs there next must not be hit.
        await cancelling
        if (!client.isBroken()) await client.query('commit').catch(() => {})
        client.release()
      }
    }

    return {
      rows: read(),
      stop() {
        isStopped = true
        if (backend !== undefined) cancelling = cancel(backend).catch(() => {})
      },
    }
  }
}
