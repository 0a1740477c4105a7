import { hash } from 'node:crypto'
import type { CompiledQuery } from 'kysely'
import type { Statement } from './database.ts'

/** Stands for a value that is bound later. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement that is compiled once and gets its parameters at each use. Compiling the writes of a
 * login would take longer than the writes themselves.
 */
export function createStatementTemplate<Values extends object>(
  names: readonly (keyof Values & string)[],
  build: (values: Values) => CompiledQuery,
): (values: Values) => Statement {
  const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]))
  const { sql, parameters } = build(slots as Values)
  const name = hash('sha1', sql)
  return (values) => ({
    sql,
    name,
    parameters: parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    ),
  })
}
