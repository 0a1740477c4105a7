import { ApiError } from '@muster/sdk'
import type { Row } from './stable-pages.ts'

export interface ActResult {
  readonly row: Row
  /** Why it was not done; undefined where it was. */
  readonly error?: unknown
}

interface Options {
  readonly rows: readonly Row[]
  readonly act: (row: Row) => Promise<unknown>
  readonly signal: AbortSignal
  readonly onResult: (result: ActResult) => void
}

/**
 * One request for each server, one after the other, each with its own result: some may be refused
 * and others not. Ends where it is told to stop, and throws where the session has ended.
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
