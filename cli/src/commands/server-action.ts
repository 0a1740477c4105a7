import type { Answer } from '@muster/sdk'
import { codeOf } from '../exit-codes.ts'
import type { NounFacts, OperationFacts } from '../description/description.ts'
import type { Command, Run } from '../grammar/command.ts'
import type { Flag } from '../grammar/flag.ts'
import { readParameters } from '../grammar/parameter-flags.ts'
import { UsageError } from '../usage-error.ts'
import { yesFlag } from './item-flags.ts'
import { confirmItems, isDestructive } from './confirm.ts'
import { requestItem } from './find-item.ts'
import { operationCommand } from './operation-command.ts'
import { itemOf, readItems } from './run-operation.ts'
import { readSource } from './read-source.ts'
import { followTask } from './follow-task.ts'

const flags: readonly Flag[] = [
  {
    name: 'q',
    kind: 'value',
    placeholder: 'QUERY',
    help: 'Act on all servers that match, instead of naming them.',
  },
  { name: 'dry-run', kind: 'boolean', help: 'Print what would be done, and do nothing.' },
  { name: 'wait', kind: 'boolean', help: 'Wait until it is done. The exit code tells the result.' },
  yesFlag,
]

/** The fields of the query and of the body, under the names that batches know. */
async function readAction(run: Run, operation: OperationFacts) {
  const read = readSource(run.io)
  const body = await readParameters(run.args, operation.body?.fields ?? [], read)
  const query = await readParameters(run.args, operation.query, read)
  return { body, query, params: { ...body, ...query } }
}

/** One server: the task is known by a header, unless there is nothing to do. */
async function actOnOne(run: Run, operation: OperationFacts, noun: NounFacts, given: string) {
  const { args, output } = run
  const { client } = await run.connect()
  if (isDestructive(operation)) await confirmItems(run, operation, noun, [given])
  const { body, query } = await readAction(run, operation)
  const answer: Answer<unknown> = await requestItem(run, noun, given, (id) =>
    client.request(operation.id, {
      parameters: { id },
      query,
      ...(operation.body && { body: { [operation.body.key ?? 'server']: body } }),
    }),
  )
  const task = answer.headers.get('x-task-id')
  const server = itemOf(operation, answer.body) ?? {}
  if (task === null) output.note(`${given}: nothing to do.`)
  else if (args.isSet('wait')) return await followTask(run, task)
  else output.note(`Task ${task}. Follow it with "muster wait ${task}", or add --wait.`)
  const columns = args.texts('column')
  const shown = columns.length > 0 ? columns : ['id', 'name', 'status']
  await output.printItem(server, shown)
  return codeOf('ok')
}

/** `muster server start` and the like: one server, several, or all that match a query. */
export function serverAction(noun: NounFacts, verb: string, operation: OperationFacts): Command {
  const plain = operationCommand(noun, verb, operation)
  const words = `server ${verb}`
  return {
    ...plain,
    usage: 'ID|NAME…',
    examples: [
      `${words} web-7`,
      `${words} web-7 --wait`,
      `${words} web-7 web-8 --yes`,
      `${words} --q 'project:demo status:running' --dry-run`,
    ],
    flags: [...flags, ...plain.flags.filter(({ name }) => name !== 'yes')],
    async run(run) {
      const q = run.args.text('q')
      if (q !== undefined && run.args.positionals.length > 0) {
        throw new UsageError('Name servers or give --q, not both.')
      }
      const items = q === undefined ? await readItems(run, noun) : []
      const [first = ''] = items
      if (items.length === 1 && !run.args.isSet('dry-run')) {
        return await actOnOne(run, operation, noun, first)
      }
      const { runBatch } = await import('./server-batch.ts')
      const { params } = await readAction(run, operation)
      return await runBatch(run, noun, { action: verb, params, items, q })
    },
  }
}
