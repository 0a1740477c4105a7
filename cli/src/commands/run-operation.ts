import type { Answer } from '@muster/sdk'
import { reasonOfError } from '../explain-error.ts'
import { CommandError } from '../command-error.ts'
import type { NounFacts, OperationFacts } from '../description/description.ts'
import { codeOf } from '../exit-codes.ts'
import type { Run } from '../grammar/command.ts'
import { isCovered, readParameters } from '../grammar/parameter-flags.ts'
import { isObjectFormat, type Row } from '../output/output.ts'
import { UsageError } from '../usage-error.ts'
import { askSecret, canAsk, readAll, readSecretLine } from '../connection/prompt.ts'
import { columnsOf, readColumns } from './choose-columns.ts'
import { confirmItems, isDestructive } from './confirm.ts'
import { findId, requestItem } from './find-item.ts'
import { runList } from './list.ts'
import { withDefaults } from './list-query.ts'
import { readSource } from './read-source.ts'

export const takesItem = ({ path }: OperationFacts): boolean => path.includes('{id}')

/** Fields that a person types without being seen. */
export const isSecret = (name: string): boolean => /password|secret|passcode/.test(name)

/** The items that the arguments name. `-` reads one from each line of stdin. */
export async function readItems(run: Run, noun: NounFacts): Promise<readonly string[]> {
  const { positionals } = run.args
  const items =
    positionals.length === 1 && positionals[0] === '-'
      ? (await readAll(run.io))
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
      : positionals
  if (items.length > 0) return items
  throw new UsageError(`Which of the ${noun.many}? Give ids or names.`)
}

/** The body of the request: `--body`, with flags over it. Undefined: the operation has none. */
async function readBody(run: Run, operation: OperationFacts): Promise<unknown> {
  const { args, io } = run
  const { body } = operation
  if (!body) return undefined
  const { key, fields } = body
  const read = readSource(io)
  const [whole] = args.texts('body')
  const given = whole === undefined ? {} : await readWhole(whole, read)
  const typed = await readParameters(args, fields, read)
  const values: Record<string, unknown> = { ...(unwrap(given, key) as object), ...typed }
  const [name] = args.positionals
  if (!takesItem(operation) && name !== undefined) {
    if (!fields.some((field) => field.name === 'name') || args.positionals.length > 1) {
      throw new UsageError(`This command does not take the argument "${name}".`)
    }
    values['name'] ??= name
  }
  for (const field of fields.filter(
    (each) => isSecret(each.name) && values[each.name] === undefined,
  )) {
    if (args.isSet(`${field.name.replaceAll('_', '-')}-stdin`)) {
      values[field.name] = await readSecretLine(io)
    } else if (field.isRequired && canAsk(io)) {
      values[field.name] = await askSecret(io, `${field.name.replaceAll('_', ' ')}: `)
    }
  }
  const missing = fields.filter((each) => each.isRequired && values[each.name] === undefined)
  if (missing.length > 0) {
    const flags = missing.map((each) => `--${each.name.replaceAll('_', '-')}`)
    throw new UsageError(`Missing: ${flags.join(', ')}.`)
  }
  return key === undefined ? values : { [key]: values }
}

async function readWhole(text: string, read: (path: string) => Promise<string>): Promise<unknown> {
  try {
    return JSON.parse(text.startsWith('@') ? await read(text.slice(1)) : text)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError('--body must be JSON, or @FILE with JSON, or @- for stdin.')
  }
}

/** A body can be given with the key of the API around it. */
function unwrap(body: unknown, key: string | undefined): unknown {
  const inner = key === undefined ? undefined : (body as Record<string, unknown> | null)?.[key]
  return typeof inner === 'object' && inner !== null ? inner : body
}

/** The item of an answer, without the key around it. */
export function itemOf({ answer }: OperationFacts, body: unknown): Row | undefined {
  if (body === undefined || body === '') return undefined
  const whole = body as Row
  const inner = answer?.key === undefined ? undefined : whole[answer.key]
  return typeof inner === 'object' && inner !== null ? (inner as Row) : whole
}

/** Prints what the API answered: an item, a text, or nothing but a line that it is done. */
async function printAnswer(run: Run, operation: OperationFacts, noun: NounFacts, body: unknown) {
  const { args, output } = run
  const { known } = columnsOf(operation, noun)
  const columns = readColumns(args, known)
  if (typeof body === 'string') return output.printText(body)
  const item = itemOf(operation, body)
  if (!item) return
  if (columns || args.isSet('long') || isObjectFormat(output.format)) {
    return await output.printItem(item, columns)
  }
  // Most of the fields of a server are empty.
  const filled = Object.entries(item).filter(([, value]) => value !== '' && value !== null)
  await output.printItem(output.format === 'table' ? Object.fromEntries(filled) : item)
}

interface Sent {
  readonly given: string
  readonly answer: Answer<unknown>
}

/** Sends the operation for each item. Failures of some do not keep others from being done. */
async function sendToItems(
  run: Run,
  operation: OperationFacts,
  noun: NounFacts,
  items: readonly string[],
  done: (sent: Sent) => Promise<void>,
): Promise<number> {
  const { client } = await run.connect()
  const query = await queryOf(run, operation)
  const body = await readBody(run, operation)
  let failures = 0
  for (const given of items) {
    try {
      const answer = await requestItem(run, noun, given, (id) =>
        client.request(operation.id, { parameters: { id }, query, body }),
      )
      await done({ given, answer })
    } catch (error) {
      if (items.length === 1) throw error
      failures += 1
      run.output.note(`${given}: ${(error as Error).message}`)
      // Nothing else will be answered either.
      if (reasonOfError(error) === 'unauthenticated') throw error
    }
  }
  return failures === 0 ? 0 : codeOf('partial')
}

async function queryOf(run: Run, operation: OperationFacts) {
  const parameters = operation.query.filter((each) => !isCovered(each, operation))
  const query = await readParameters(run.args, parameters, readSource(run.io))
  const hasDetails = operation.query.some(({ name }) => name === 'details')
  return withDefaults(operation, hasDetails ? { ...query, details: true } : query)
}

/** Runs an operation that the grammar was derived from. */
export async function runOperation(
  run: Run,
  operation: OperationFacts,
  noun: NounFacts,
): Promise<number> {
  const { args, output } = run
  const isList = operation.answer?.kind === 'list'
  if (!takesItem(operation)) {
    if (isList && operation.method === 'GET') return await runList(run, operation, noun)
    const body = await readBody(run, operation)
    const { client } = await run.connect()
    const query = await queryOf(run, operation)
    const answer = await client.request(operation.id, { query, body })
    await printAnswer(run, operation, noun, answer.body)
    return 0
  }
  readColumns(args, columnsOf(operation, noun).known)
  const items = await readItems(run, noun)
  if (isList) {
    const [given = '', ...others] = items
    if (others.length > 0) throw new CommandError('usage', 'This command takes one item.')
    return await runListOfItem(run, operation, noun, given)
  }
  if (isDestructive(operation)) {
    await confirmItems(run, operation, noun, items)
  }
  return await sendToItems(run, operation, noun, items, async ({ given, answer }) => {
    if (answer.body === undefined) output.note(`${given}: ${pastOf(operation)}.`)
    else await printAnswer(run, operation, noun, answer.body)
  })
}

/** The API finds the parent by name, or its id is looked up. */
async function runListOfItem(
  run: Run,
  operation: OperationFacts,
  noun: NounFacts,
  given: string,
): Promise<number> {
  const withoutItem = { ...run, args: run.args.withPositionals([]) }
  const id = await findId(run, noun, given)
  return await runList(withoutItem, operation, noun, { id })
}

const pastOf = ({ method }: OperationFacts): string => (method === 'DELETE' ? 'deleted' : 'done')
