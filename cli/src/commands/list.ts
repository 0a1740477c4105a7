import type { NounFacts, OperationFacts } from '../description/description.ts'
import type { Run } from '../grammar/command.ts'
import type { ReadSource } from '../grammar/parameter-flags.ts'
import type { ApiClient } from '../connection/connect.ts'
import { isObjectFormat, type Row } from '../output/output.ts'
import { createProgress } from '../output/progress.ts'
import { columnsOf, readColumns } from './choose-columns.ts'
import { hasParameter, readListQuery, withDefaults } from './list-query.ts'
import { readSource } from './read-source.ts'

/** The largest page that the API returns. */
const largestPage = 2_048

interface ListRequest {
  readonly operation: OperationFacts
  readonly parameters: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** Undefined: the first page, of the size that the API chooses. */
  readonly limit: number | undefined
  /** What the rows need. Undefined: everything. */
  readonly fields: readonly string[] | undefined
}

interface Page {
  readonly rows: readonly Row[]
  readonly total: number | undefined
  readonly isLast: boolean
}

function pageQuery({ operation, query, limit, fields }: ListRequest): Record<string, unknown> {
  const size = limit === undefined ? undefined : Math.min(limit, largestPage)
  return {
    ...query,
    ...(size !== undefined && hasParameter(operation, 'limit') && { limit: size }),
    ...(fields && hasParameter(operation, 'field') && { field: [...new Set(fields)] }),
    // Lists have a short form of servers.
    ...(!fields && hasParameter(operation, 'details') && { details: true }),
  }
}

/** The rows up to the limit, page by page. */
async function* readPages(client: ApiClient, request: ListRequest): AsyncGenerator<Page> {
  const { operation, parameters, limit } = request
  const { id, answer } = operation
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const body of client.pages(id, { parameters, query: pageQuery(request) })) {
    const { [answer?.key ?? '']: items = [], total } = body as Record<string, unknown>
    const all = items as readonly Row[]
    const rows = all.slice(0, left)
    left -= rows.length
    const isLast = limit === undefined || left === 0
    yield { rows, total: typeof total === 'number' ? total : undefined, isLast }
    if (isLast) return
  }
}

function readLimit(run: Run): number | undefined {
  const limit = run.args.number('limit')
  return run.args.isSet('all') || limit === 0 ? Number.POSITIVE_INFINITY : limit
}

/** Prints the rows of a list, and how many there are if these are not all. */
async function printList(
  run: Run,
  request: ListRequest,
  noun: NounFacts,
  columns: readonly string[],
  areChosen = false,
): Promise<void> {
  const { output } = run
  const { limit } = request
  const list = output.startList({ columns, areChosen, many: noun.many })
  const { client } = await run.connect()
  const progress = createProgress(run.io, limit !== undefined && !output.isTerminal)
  let count = 0
  let total: number | undefined
  for await (const page of readPages(client, request)) {
    list.add(page.rows)
    count += page.rows.length
    total = page.total
    progress.update(`${count}${total === undefined ? '' : ` of ${total}`} ${noun.many}`)
    if (output.isClosed()) return
  }
  progress.end()
  await list.end()
  if (total !== undefined && total > count && limit === undefined) {
    output.note(`${count} of ${total} ${noun.many}. Add --all for the others, or --limit N.`)
  }
}

/** `muster server list` and every other list. */
export async function runList(
  run: Run,
  operation: OperationFacts,
  noun: NounFacts,
  parameters: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { args, output } = run
  const { known, usual, long } = columnsOf(operation, noun)
  const chosen = readColumns(args, known)
  const columns = chosen ?? (args.isSet('long') ? long : usual)
  const isWhole = !chosen && isObjectFormat(output.format) && !output.isQuiet
  const source: ReadSource = readSource(run.io)
  const query = withDefaults(operation, await readListQuery(args, operation, known, source))
  const limit = readLimit(run)
  const fields = output.isQuiet ? [] : columns.map((column) => column.split('.')[0] ?? '')
  const identified = known.includes('id') ? ['id', ...fields] : fields
  const request = {
    operation,
    parameters,
    query,
    limit,
    fields: isWhole || identified.length === 0 ? undefined : identified,
  }
  if (args.isSet('watch')) {
    const { runWatch } = await import('./watch.ts')
    const print = () => printList(run, request, noun, columns)
    return await runWatch(run, operation, query, print)
  }
  await printList(run, request, noun, columns, chosen !== undefined)
  return 0
}
