import type { OperationFacts } from '../description/description.ts'
import { isCovered, readParameters, type ReadSource } from '../grammar/parameter-flags.ts'
import type { Arguments } from '../grammar/parse-flags.ts'
import type { Flag } from '../grammar/flag.ts'
import { UsageError } from '../usage-error.ts'
import { checkColumn } from './choose-columns.ts'

/** Words of the query language that are worth a flag. */
const queryFlags: readonly Flag[] = [
  {
    name: 'tag',
    kind: 'values',
    placeholder: 'KEY[=VALUE]',
    help: 'Only servers with this tag. Can be repeated: all must match.',
  },
  {
    name: 'ip',
    kind: 'values',
    placeholder: 'ADDRESS',
    help: 'Only servers with an address in this network.',
  },
]

export const hasParameter = ({ query }: OperationFacts, name: string): boolean =>
  query.some((parameter) => parameter.name === name)

/** Lists of servers have tags and addresses. */
export const queryFlagsOf = (operation: OperationFacts): readonly Flag[] =>
  hasParameter(operation, 'q') && hasParameter(operation, 'hypervisor') ? queryFlags : []

const quoteTerm = (text: string): string =>
  /[\s,"']/.test(text) && !text.includes('"') ? `"${text}"` : text

/** The arguments are the query, as if they were one. */
function readQ(args: Arguments, operation: OperationFacts): string | undefined {
  const terms = [
    ...args.texts('q'),
    ...args.positionals,
    ...args.texts('tag').map((text) => `tag:${quoteTerm(text)}`),
    ...args.texts('ip').map((text) => `ip:${quoteTerm(text)}`),
  ]
  if (terms.length === 0) return undefined
  if (!hasParameter(operation, 'q')) {
    throw new UsageError('This command takes no arguments after its flags.')
  }
  return terms.join(' ')
}

function readOrder(args: Arguments, operation: OperationFacts, known: readonly string[]) {
  const sorts = args.texts('sort-column').map((text) => text.split(':') as [string, string?])
  if (sorts.length === 0) return {}
  if (!hasParameter(operation, 'order_by') && !hasParameter(operation, 'order')) {
    throw new UsageError('This list cannot be sorted.')
  }
  for (const [column, direction = 'asc'] of sorts) {
    checkColumn(column, known)
    if (direction !== 'asc' && direction !== 'desc') {
      throw new UsageError(`--sort-column ${column}: write :asc or :desc.`)
    }
  }
  const directions = new Set(sorts.map(([, direction = 'asc']) => direction))
  if (directions.size > 1) {
    throw new UsageError('All columns of --sort-column have the same direction.')
  }
  return { order_by: sorts.map(([column]) => column), order: [...directions][0] }
}

/** The query of a list: flags, arguments and sorting. */
export async function readListQuery(
  args: Arguments,
  operation: OperationFacts,
  known: readonly string[],
  read: ReadSource,
): Promise<Record<string, unknown>> {
  const parameters = operation.query.filter((parameter) => !isCovered(parameter, operation))
  const { q: _, ...query } = await readParameters(args, parameters, read)
  const q = readQ(args, operation)
  return { ...query, ...(q !== undefined && { q }), ...readOrder(args, operation, known) }
}

/**
 * Defaults for people. Servers are listed in the scope of the token, because Cloudpods' client expects it;
 * here they are listed like everything else, all that the caller can access. Keystone's assignments have
 * ids only.
 */
export const withDefaults = (
  operation: OperationFacts,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...(hasParameter(operation, 'scope') &&
    operation.path.startsWith('/servers') && { scope: 'max' }),
  ...(hasParameter(operation, 'include_names') && { include_names: true }),
  ...query,
})
