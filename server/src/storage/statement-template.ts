import type { CompiledQuery } from 'kysely'
import type { Statement } from './database.ts'

/** Where a value goes that is not known yet. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement whose text is made once and filled in at each use: for the writes that a login waits
 * for, making the text would take longer than the write.
 */
export function createStatementTemplate<Values extends object>(
  names: readonly (keyof Values & string)[],
  build: (values: Values) => CompiledQuery,
): (values: Values) => Statement {
  const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]))
  const { sql, parameters } = build(slots as Values)
  return (values) => ({
    sql,
    parameters: parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    ),
  })
}
