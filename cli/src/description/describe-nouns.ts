import { duplicateLists, nounWords, otherLists } from './noun-words.ts'
import type { NounFacts, OperationFacts, Parameter } from './description.ts'

export interface DescribedResource {
  readonly key: string
  readonly keys: string
  readonly one: string
  readonly many: string
  readonly fields: Readonly<Record<string, { readonly uses: readonly string[] }>>
  readonly columns?: readonly string[]
}

const toKebab = (name: string): string => name.replaceAll('_', '-')

const isList = ({ id, method, path }: OperationFacts): boolean =>
  method === 'GET' &&
  !path.includes('{') &&
  (id.startsWith('list') || otherLists.has(path)) &&
  !duplicateLists.has(path)

/** The verbs of the operations on a collection and on one of its items. */
const plainVerbs: Readonly<Record<string, string>> = {
  'GET ': 'list',
  'POST ': 'create',
  'GET /{id}': 'show',
  'PUT /{id}': 'update',
  'DELETE /{id}': 'delete',
}

/** A path of its own is a verb: `POST /servers/{id}/start`. Reading has the name, if writing has it too. */
function verbOf({ method, path }: OperationFacts, list: string, reads: ReadonlySet<string>) {
  if (path !== list && !path.startsWith(`${list}/`)) return undefined
  const rest = path.slice(list.length)
  const plain = plainVerbs[`${method} ${rest}`]
  if (plain !== undefined) return plain
  const word = /^(?:\/\{id\})?\/([\w/-]+)$/.exec(rest)?.[1]
  if (word === undefined) return undefined
  const verb = toKebab(word.replaceAll('/', '-'))
  if (method === 'GET' || !reads.has(path)) return verb
  return `${method === 'PUT' ? 'replace' : 'change'}-${verb}`
}

/** The columns for people: names first, and no ids that a name stands beside. */
function defaultColumns(fields: readonly Parameter[]): string[] {
  const names = fields.filter(({ type }) => type !== 'object').map(({ name }) => name)
  return names.slice(0, 6)
}

const resourceOf = ({ answer }: OperationFacts, resources: readonly DescribedResource[]) =>
  resources.find(({ keys }) => keys === answer?.key)

const wordOf = (list: OperationFacts, resources: readonly DescribedResource[]): string =>
  nounWords[list.path]?.word ?? toKebab(resourceOf(list, resources)?.key ?? list.answer?.key ?? '')

/** The nouns of all lists, each with the operations below its path. */
export function describeNouns(
  operations: readonly OperationFacts[],
  resources: readonly DescribedResource[],
): NounFacts[] {
  const reads = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const lists = operations.filter(isList)
  const words = new Set(lists.map((list) => wordOf(list, resources)))
  return lists.map((list) => {
    const { path, answer } = list
    const { fields = [] } = answer ?? {}
    const own = nounWords[path]
    const resource = resourceOf(list, resources)
    const word = wordOf(list, resources)
    const shortNames = resource
      ? Object.keys(resource.fields).filter((name) => resource.fields[name]?.uses.includes('short'))
      : []
    const scalars = fields.filter(({ type }) => type !== 'object').map(({ name }) => name)
    const verbs = operations.flatMap((operation) => {
      const verb = verbOf(operation, path, reads)
      const isBelowOther = lists.some(
        (other) =>
          other.path.startsWith(`${path}/`) && `${operation.path}/`.startsWith(`${other.path}/`),
      )
      return verb === undefined || isBelowOther ? [] : [[verb, operation.id]]
    })
    return {
      word,
      aliases: [...(own?.aliases ?? []), ...(resource ? [toKebab(resource.key)] : [])].filter(
        (alias) => !words.has(alias),
      ),
      one: resource?.one ?? `a ${word}`,
      many: resource?.many ?? `${word}s`,
      verbs: Object.fromEntries(verbs) as Record<string, string>,
      columns: own?.columns ?? resource?.columns ?? defaultColumns(fields),
      longColumns: shortNames.length > 0 ? shortNames : scalars,
    }
  })
}
