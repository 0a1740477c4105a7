/** Statements of one commit, on their way to the writer thread. */
export type Unit = readonly {
  readonly sql: string
  readonly parameters: (string | number | null | Uint8Array)[]
  readonly required: string | undefined
}[]

/** A failed commit: the message and SQLite's result code, or the code below. */
export interface Failure {
  readonly message: string
  readonly code: number
}

/** Not one of SQLite's result codes: a required statement touched no row. */
export const preconditionFailed = -1
