import { ApiError } from '@muster/sdk'
import type { Row } from './row.ts'

export interface ActResult {
  readonly row: Row
  /** Undefined on success. */
  readonly error?: unknown
}

interface Options {
  readonly rows: readonly Row[]
  readonly act: (row: Row) => Promise<unknown>
  readonly signal: AbortSignal
  readonly onResult: (result: ActResult) => void
}

/**
 * Sends one request per server, one after the other, and reports each result. Stops on abort; throws
 * if the session has ended.
 */
export async function actOnEach({ rows, act, signal, onResult }: Options): Promise<void> {
  for (const row of rows) {
    if (signal.aborted) return
    try {
      await act(row)
      onResult({ row })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status === 401) throw error
      onResult({ row, error })
    }
  }
}
