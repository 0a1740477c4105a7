import type { Description, OperationFacts } from '../description/description.ts'
import type { Command, Run } from '../grammar/command.ts'
import { didYouMean } from '../grammar/nearest-word.ts'
import { UsageError } from '../usage-error.ts'
import { safeJson } from '../output/safe-text.ts'
import { readSource } from './read-source.ts'

interface Matched {
  readonly operation: OperationFacts
  readonly parameters: Readonly<Record<string, string>>
}

/** The operation at a path. Fixed paths win over those with a parameter, as in the API. */
function matchPath({ operations }: Description, method: string, path: string): Matched {
  const parts = path.split('/')
  const candidates = Object.keys(operations).flatMap((id) => {
    const operation = operations[id]
    if (!operation || operation.method !== method) return []
    const names = operation.path.split('/')
    if (names.length !== parts.length) return []
    const parameters: Record<string, string> = {}
    for (const [index, name] of names.entries()) {
      const part = parts[index] ?? ''
      const parameter = /^\{(\w+)\}$/.exec(name)?.[1]
      if (parameter === undefined && name !== part) return []
      if (parameter !== undefined) parameters[parameter] = decodeURIComponent(part)
    }
    return [{ operation, parameters }]
  })
  const [best] = candidates.sort(
    (one, other) => Object.keys(one.parameters).length - Object.keys(other.parameters).length,
  )
  if (best) return best
  const paths = new Set(Object.keys(operations).map((id) => operations[id]?.path ?? ''))
  throw new UsageError(`The API has no ${method} ${path}.${didYouMean(path, paths)}`)
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** `name=value` of `--query` and `--header`. */
function readPairs(texts: readonly string[], separator: RegExp, flag: string) {
  const pairs: Record<string, string[]> = {}
  for (const text of texts) {
    const [, name, value = ''] = separator.exec(text) ?? []
    if (name === undefined) throw new UsageError(`--${flag} is NAME and VALUE, as the help shows.`)
    pairs[name] = [...(pairs[name] ?? []), value]
  }
  return pairs
}

function readTarget({ args }: Run) {
  const [first = '', second] = args.positionals
  if (args.positionals.length > 2) throw new UsageError('Give a method and a path.')
  const hasBody = args.text('body') !== undefined
  const method = (second === undefined ? (hasBody ? 'POST' : 'GET') : first).toUpperCase()
  const target = second ?? first
  if (!methods.includes(method)) throw new UsageError(`The method is one of ${methods.join(', ')}.`)
  if (!target.startsWith('/')) throw new UsageError('The path begins with "/": /servers.')
  const [path = '', search = ''] = target.split('?')
  return { method: method === 'PATCH' ? 'PUT' : method, path, search }
}

async function readBody(run: Run): Promise<unknown> {
  const text = run.args.text('body')
  if (text === undefined) return undefined
  const json = text.startsWith('@') ? await readSource(run.io)(text.slice(1)) : text
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError('--body must be JSON, or @FILE with JSON, or @- for stdin.')
  }
}

async function runApi(run: Run): Promise<number> {
  const { args, output, description } = run
  const { method, path, search } = readTarget(run)
  const { operation, parameters } = matchPath(description, method, path)
  const given = new URLSearchParams(search)
  const query = {
    ...Object.fromEntries([...given.keys()].map((name) => [name, given.getAll(name)])),
    ...readPairs(args.texts('query'), /^([^=]+)=([^]*)$/, 'query'),
  }
  const headers = Object.fromEntries(
    Object.entries(readPairs(args.texts('header'), /^([\w-]+):\s*([^]*)$/, 'header')).map(
      ([name, values]) => [name.toLowerCase(), values.join(', ')],
    ),
  )
  const body = await readBody(run)
  const { client } = await run.connect()
  const input = { parameters, query, body, headers }
  if (args.isSet('all')) {
    for await (const page of client.pages(operation.id, input)) {
      output.write(`${safeJson(page)}\n`)
      if (output.isClosed()) break
    }
    return 0
  }
  const answer = await client.request(operation.id, input)
  if (args.isSet('include')) {
    output.note(`HTTP ${answer.status}, request id ${answer.headers.get('x-request-id') ?? 'none'}`)
  }
  if (typeof answer.body === 'string') output.printText(answer.body)
  else if (answer.body !== undefined) output.write(`${safeJson(answer.body, 2)}\n`)
  return 0
}

export const api: Command = {
  words: ['api'],
  summary: 'Send any request of the API.',
  usage: '[METHOD] PATH',
  examples: [
    'api /servers -Q limit=5',
    "api GET '/servers?q=status:running'",
    'api POST /v3/projects --body \'{"project": {"name": "web"}}\'',
    'api PUT /cloudaccounts/lab --body @account.json',
    'api /servers --all',
  ],
  flags: [
    {
      name: 'query',
      short: 'Q',
      kind: 'values',
      placeholder: 'NAME=VALUE',
      help: 'Query parameter. Can be repeated.',
    },
    {
      name: 'header',
      short: 'H',
      kind: 'values',
      placeholder: 'NAME: VALUE',
      help: 'Header. Can be repeated.',
    },
    {
      name: 'body',
      kind: 'value',
      placeholder: 'JSON',
      help: 'Body: JSON, @FILE, or @- for stdin.',
    },
    { name: 'all', kind: 'boolean', help: 'Follow the pages, one page of JSON in each line.' },
    { name: 'include', short: 'i', kind: 'boolean', help: 'Print the status on stderr.' },
  ],
  details:
    'The token and the address are those of other commands. The paths are in the API reference.',
  run: runApi,
}
