import type pg from 'pg'
import type { Query, Row } from '../database.ts'
import type { Execution } from '../slow-queries.ts'

interface Client {
  query(text: string, parameters?: readonly unknown[]): Promise<pg.QueryResult>
  isBroken(): boolean
  release(): void
}

interface Dependencies {
  /** Takes a connection for slow queries. */
  readonly take: () => Promise<Client>
  /** Cancels the statement of another connection. */
  readonly cancel: (backend: number) => Promise<unknown>
  /** The timeout of a statement, in milliseconds. */
  readonly timeout: number
}

/** Runs queries on one snapshot, in a transaction with a timeout, so that they can be cancelled. */
export function createSlowReader({ take, cancel, timeout }: Dependencies) {
  // Set in the transaction, so that it also works behind a pooler in transaction mode.
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
        // Keeps the transaction open until then, so that the cancel request hits nothing that runs later.
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
