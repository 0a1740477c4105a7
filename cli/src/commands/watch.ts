import { setTimeout as pause } from 'node:timers/promises'
import type { OperationFacts } from '../description/description.ts'
import type { Run } from '../grammar/command.ts'
import { safeJson } from '../output/safe-text.ts'
import { UsageError } from '../usage-error.ts'

const period = 5_000
/** Seconds in which the API keeps a request open if nothing changes. */
const longestWait = 50
const clearScreen = '\u001B[H\u001B[2J'

/** Prints changes of servers as they are stored, a line each, until Ctrl-C. */
async function followChanges(run: Run, query: Readonly<Record<string, unknown>>): Promise<number> {
  const { output } = run
  const { client } = await run.connect()
  let after = 'now'
  while (!output.isClosed()) {
    const { body } = await client.request('getServerChanges', {
      query: { ...query, after, wait: longestWait },
    })
    const { changes, position } = body as { changes: readonly unknown[]; position?: string }
    for (const change of changes) output.write(`${safeJson(change)}\n`)
    after = position ?? after
  }
  return 0
}

/** Filters that lists of servers and lists of changes share. */
function changesQuery(run: Run, query: Readonly<Record<string, unknown>>) {
  const known = new Set(
    run.description.operations['getServerChanges']?.query.map(({ name }) => name),
  )
  const { order: _, order_by: __, ...filters } = query
  const unknown = Object.keys(filters).filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new UsageError(`Changes cannot be filtered by ${unknown.join(', ')}.`)
  }
  return filters
}

/** `--watch`: prints the list again and again on a terminal, or changes as lines of JSON. */
export async function runWatch(
  run: Run,
  { path }: OperationFacts,
  query: Readonly<Record<string, unknown>>,
  print: () => Promise<void>,
): Promise<number> {
  const { output } = run
  if (output.format === 'ndjson') {
    if (!path.startsWith('/servers')) {
      throw new UsageError('--watch -f ndjson is for servers and changes.')
    }
    return await followChanges(run, changesQuery(run, query))
  }
  if (!output.isTerminal) {
    throw new UsageError('--watch needs a terminal. For a program, add -f ndjson.')
  }
  for (;;) {
    output.write(clearScreen)
    await print()
    await pause(period)
  }
}
