import type { OperationId } from '@muster/contract'
import type { TSchema } from 'typebox'
import { operationOf } from './call-api.ts'
import type { ObjectSchema, Tool } from './tool.ts'
import { withoutNotes } from './without-notes.ts'

const defaultLimit = 20
const maxLimit = 100

interface ReadingTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly operation: OperationId
  /** The parameters of the operation that the tool takes. */
  readonly parameters: readonly string[]
  readonly required?: readonly string[]
  /** The argument for the id in the path. */
  readonly path?: { readonly argument: string; readonly description: string }
  /** Parameters that are always sent. */
  readonly fixed?: Readonly<Record<string, unknown>>
}

const tools: readonly ReadingTool[] = [
  {
    name: 'find_servers',
    title: 'Find servers',
    description:
      'Lists servers that match the query `q`, newest first, with their tags. `total` counts all matches. Read the resource muster://query-language for `q`. `as_of` gives the inventory of a moment in the past.',
    operation: 'listServers',
    parameters: ['q', 'as_of', 'scope', 'order_by', 'order', 'limit', 'marker'],
    fixed: { with_meta: true },
  },
  {
    name: 'show_server',
    title: 'Show a server',
    description: 'All fields and tags of one server. Memory and disks are in MB.',
    operation: 'getServer',
    parameters: ['as_of', 'scope'],
    path: { argument: 'server', description: 'Id or name of the server' },
  },
  {
    name: 'count_servers',
    title: 'Count servers',
    description:
      'Counts the servers that match `q` and sums their vCPUs, memory and disks (MB), in total and for each value of the fields in `group_by`, such as `status`, `provider`, `project` or `metadata.env`.',
    operation: 'getServerStatistics',
    parameters: ['q', 'group_by', 'as_of', 'scope'],
  },
  {
    name: 'list_changes',
    title: 'List changes of servers',
    description:
      'What changed, newest first: servers that appeared, were gone or returned, and each changed field with its values before and after.',
    operation: 'getServerChanges',
    parameters: [
      'q',
      'since',
      'until',
      'kind',
      'changed',
      'new_status',
      'scope',
      'limit',
      'marker',
    ],
  },
  {
    name: 'compare_moments',
    title: 'Compare two moments',
    description:
      'The difference of the inventory between two moments: servers that appeared, are gone or changed.',
    operation: 'getServerDiff',
    parameters: ['from', 'to', 'q', 'scope', 'limit', 'marker'],
    required: ['from'],
  },
  {
    name: 'list_accounts',
    title: 'List cloud accounts',
    description:
      'The clouds and hypervisors that servers are read from, with their status, the last sync and its errors.',
    operation: 'listCloudAccounts',
    parameters: ['q', 'scope', 'limit', 'marker'],
  },
  {
    name: 'list_checks',
    title: 'List checks',
    description:
      'Saved queries that should match nothing, with the number of their violations. With `violated_by`, only those that a server or an account violates.',
    operation: 'listChecks',
    parameters: ['search', 'violated_by', 'scope', 'limit', 'marker'],
  },
  {
    name: 'list_violations',
    title: 'List violations of a check',
    description: 'The servers or accounts that violate a check, or did so.',
    operation: 'listCheckViolations',
    parameters: ['is_open', 'scope', 'limit', 'marker'],
    path: { argument: 'check', description: 'Id of the check' },
  },
  {
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Actions on servers, newest first: queued, running and ended ones, with errors.',
    operation: 'listTasks',
    parameters: ['id', 'server_id', 'status', 'q', 'scope', 'limit', 'marker'],
  },
]

const limit: TSchema = {
  type: 'integer',
  minimum: 1,
  maximum: maxLimit,
  description: `Page size. Default: ${defaultLimit}.`,
}
const marker: TSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 4_096,
  description: 'The `next_marker` of the page before. The other arguments must stay the same.',
}
const nextMarker: TSchema = {
  type: 'string',
  description: 'For `marker`: the next page. Absent on the last page.',
}

/** Types of the parameters are those of the contract. */
function inputSchemaOf({ operation, parameters, required = [], path }: ReadingTool): ObjectSchema {
  const given: Readonly<Record<string, TSchema>> = operationOf(operation).query?.properties ?? {}
  const properties = parameters.map((name): [string, TSchema] => {
    const schema = { limit, marker }[name] ?? given[name]
    if (!schema) throw new Error(`${operation} has no parameter ${name}`)
    return [name, schema]
  })
  const { argument, description } = path ?? {}
  return {
    type: 'object',
    properties: {
      ...(argument !== undefined && {
        [argument]: { type: 'string', minLength: 1, maxLength: 255, description },
      }),
      ...Object.fromEntries(properties),
    },
    required: [...(argument === undefined ? [] : [argument]), ...required],
    additionalProperties: false,
  }
}

/** That of the answer of the operation. A comparison has two forms, of which the tool returns the first. */
function outputSchemaOf({ operation, parameters }: ReadingTool): ObjectSchema {
  const body = operationOf(operation).responses[200]?.body as
    | (ObjectSchema & { readonly anyOf?: readonly ObjectSchema[] })
    | undefined
  const schema = body?.anyOf?.[0] ?? body
  if (!schema) throw new Error(`${operation} has no answer`)
  const short = withoutNotes(schema) as ObjectSchema
  if (!parameters.includes('marker')) return short
  return { ...short, properties: { ...short.properties, next_marker: nextMarker } }
}

/** The start of the next page, from the `Link` header of the operation. */
function nextMarkerOf(link: unknown): string | undefined {
  const address = typeof link === 'string' ? /^<([^>]+)>/.exec(link)?.[1] : undefined
  return address === undefined
    ? undefined
    : (new URL(address, 'http://muster').searchParams.get('marker') ?? undefined)
}

/** The tools that only read. Each calls one operation. */
export const readingTools: readonly Tool[] = tools.map((tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: inputSchemaOf(tool),
  outputSchema: outputSchemaOf(tool),

  async call(input, { api }) {
    const { operation, path, parameters, fixed } = tool
    const { [path?.argument ?? '']: id, ...query } = input
    const { body, headers } = await api(operation, {
      ...(path && { path: { id: String(id) } }),
      query: { ...fixed, ...(parameters.includes('limit') && { limit: defaultLimit }), ...query },
    })
    const next = parameters.includes('marker') ? nextMarkerOf(headers['link']) : undefined
    return { ...body, ...(next !== undefined && { next_marker: next }) }
  },
}))
