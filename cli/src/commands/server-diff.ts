import type { Description } from '../description/description.ts'
import type { Command, Run } from '../grammar/command.ts'
import { isObjectFormat, type Row } from '../output/output.ts'
import { findId } from './find-item.ts'
import { withDefaults } from './list-query.ts'
import { operationCommand } from './operation-command.ts'
import { readParameters } from '../grammar/parameter-flags.ts'
import { readSource } from './read-source.ts'
import { UsageError } from '../usage-error.ts'

interface Diff {
  /** Between two moments. */
  readonly items?: readonly Row[]
  readonly counts?: Readonly<Record<string, number>>
  /** Between servers. */
  readonly fields?: readonly Row[]
  readonly servers?: readonly Row[]
}

async function print(run: Run, body: Diff): Promise<void> {
  const { output, args } = run
  if (isObjectFormat(output.format)) return await output.printItem(body as Row)
  const chosen = args.texts('column')
  const isOfServers = body.fields !== undefined
  const usual = isOfServers
    ? ['field', 'values', 'differs']
    : ['change', 'server_name', 'account', 'changes']
  const list = output.startList({
    columns: chosen.length > 0 ? chosen : usual,
    areChosen: chosen.length > 0,
    many: 'differences',
  })
  const differing = body.fields?.filter(({ differs }) => differs === true)
  list.add((args.isSet('long') ? body.fields : differing) ?? body.items ?? [])
  await list.end()
  const shown = body.items?.length ?? 0
  const total = Object.values(body.counts ?? {}).reduce((sum, count) => sum + count, 0)
  if (total > shown) output.note(`${shown} of ${total} differences. Add --limit ${total}.`)
}

/** `muster server diff`: two moments, or several servers by name. */
export function serverDiff({ nouns, operations }: Description): Command {
  const noun = nouns.find(({ word }) => word === 'server')
  const operation = operations['getServerDiff']
  if (!noun || !operation) throw new Error('the contract has no diff of servers')
  const plain = operationCommand(noun, 'diff', operation)
  return {
    ...plain,
    usage: '[ID|NAME…]',
    examples: [
      'server diff --from -1d',
      'server diff --from 2026-05-01 --to 2026-05-08 --project web',
      'server diff web-7 web-8',
    ],
    columns: [],
    completes: 'server',
    async run(run) {
      const { positionals } = run.args
      if (positionals.length === 1) throw new UsageError('Name 2 to 5 servers, or give --from.')
      const ids = []
      for (const given of positionals) ids.push(await findId(run, noun, given))
      const typed = await readParameters(run.args, operation.query, readSource(run.io))
      const query = withDefaults(operation, { ...typed, ...(ids.length > 0 && { ids }) })
      const { client } = await run.connect()
      const { body } = await client.request(operation.id, { query })
      await print(run, body as Diff)
      return 0
    },
  }
}
