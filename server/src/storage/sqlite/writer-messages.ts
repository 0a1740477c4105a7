type Cells = (string | number | null | Uint8Array)[]

/** Statements of one commit, on their way to the writer thread. */
export type Unit = readonly {
  readonly sql: string
  readonly parameters: Cells
  readonly rows: readonly Cells[] | undefined
  readonly required: string | undefined
}[]

/** A commit of this many rows is sent at once: it is written while the next one is made. */
const largeCommit = 64

export const isLarge = (unit: Unit): boolean =>
  unit.reduce((sum, { rows }) => sum + (rows?.length ?? 1), 0) >= largeCommit

/** A failed commit: the message and SQLite's result code, or the code below. */
export interface Failure {
  readonly message: string
  readonly code: number
}

/** Not one of SQLite's result codes: a required statement touched no row. */
export const preconditionFailed = -1
