import type { StatementSync } from 'node:sqlite'
import type { StatementResult } from '../database.ts'
import type { Prepare } from './file.ts'
import { preconditionFailed, type Failure, type Unit } from './writer-messages.ts'

/** The message is the reason that the statement gave. */
class PreconditionFailed extends Error {
  readonly errcode = preconditionFailed
}

/** Runs the statements of commits. */
export function createRunStatement(prepare: Prepare) {
  const returnsRows = new WeakMap<StatementSync, boolean>()

  function hasRows(statement: StatementSync): boolean {
    let answer = returnsRows.get(statement)
    if (answer === undefined) {
      answer = statement.columns().length > 0
      // The row ids of the search index exceed what a JavaScript number holds exactly.
      if (!answer) statement.setReadBigInts(true)
      returnsRows.set(statement, answer)
    }
    return answer
  }

  function execute({ sql, parameters, rows: inserted }: Unit[number]): StatementResult {
    const statement = prepare(sql)
    if (hasRows(statement)) {
      const rows = statement.all(...parameters).map((row) => ({ ...row }))
      return { rows, changes: rows.length }
    }
    let changes = 0
    for (const row of inserted ?? [parameters]) changes += Number(statement.run(...row).changes)
    return { rows: [], changes }
  }

  return function run(statement: Unit[number]): StatementResult {
    const result = execute(statement)
    if (statement.required !== undefined && result.changes === 0) {
      throw new PreconditionFailed(statement.required)
    }
    return result
  }
}

export function describeFailure(error: unknown): Failure {
  const { message, errcode } = error as Error & { errcode?: number }
  return { message, code: errcode ?? 0 }
}
