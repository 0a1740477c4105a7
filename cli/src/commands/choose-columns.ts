import type { NounFacts, OperationFacts } from '../description/description.ts'
import { didYouMean } from '../grammar/nearest-word.ts'
import type { Arguments } from '../grammar/parse-flags.ts'
import { UsageError } from '../usage-error.ts'

const mostColumns = 8

/** The columns that a command prints, and those that it can print. */
export function columnsOf(
  { answer, id }: OperationFacts,
  noun: NounFacts,
): {
  readonly known: readonly string[]
  readonly usual: readonly string[]
  long: readonly string[]
} {
  const fields = answer?.fields ?? []
  const known = fields.map(({ name }) => name)
  const scalars = fields.filter(({ type }) => type !== 'object').map(({ name }) => name)
  const isOfNoun = noun.verbs['list'] === id
  const chosen = scalars.length > 0 ? scalars : known
  return {
    known,
    usual: isOfNoun ? noun.columns : chosen.slice(0, mostColumns),
    long: isOfNoun ? noun.longColumns : chosen,
  }
}

/** Checks the columns of `-c` before anything is sent. */
export function readColumns(args: Arguments, known: readonly string[]): string[] | undefined {
  const named = args.texts('column').flatMap((text) => text.split(','))
  if (named.length === 0) return undefined
  for (const column of named) checkColumn(column, known)
  return named
}

export function checkColumn(column: string, known: readonly string[]): void {
  const [field = ''] = column.split('.')
  // An object without a schema can have any key.
  if (known.length === 0 || known.includes(field) || known.includes(column)) return
  throw new UsageError(
    `There is no column "${column}".${didYouMean(field, known)} The columns are ${known.join(', ')}.`,
  )
}
