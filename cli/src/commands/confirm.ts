import { CommandError } from '../command-error.ts'
import { ask, canAsk } from '../connection/prompt.ts'
import type { NounFacts, OperationFacts } from '../description/description.ts'
import type { Run } from '../grammar/command.ts'

/** What cannot be undone. */
export const isDestructive = ({ method, path }: OperationFacts): boolean =>
  method === 'DELETE' || /\/(?:purge|redact-history|confirm-gone)$/.test(path)

/** Asks for the typed text, unless `--yes` was given. Without a terminal, `--yes` is required. */
export async function confirm(run: Run, what: string, expected: string): Promise<void> {
  if (run.args.isSet('yes')) return
  if (!canAsk(run.io)) {
    throw new CommandError('usage', `${what} Without a terminal to confirm it, add --yes.`)
  }
  const typed = await ask(run.io, `${what} Type ${expected} to confirm: `)
  if (typed.trim() !== expected) throw new CommandError('usage', 'Not confirmed. Nothing was done.')
}

export async function confirmItems(
  run: Run,
  { summary }: OperationFacts,
  noun: NounFacts,
  items: readonly string[],
): Promise<void> {
  const [first = ''] = items
  const isOne = items.length === 1
  const what = isOne ? `${summary}: ${first}.` : `${summary}: ${items.length} ${noun.many}.`
  await confirm(run, what, isOne ? first : String(items.length))
}
