import { isApiError } from '@muster/sdk'
import type { Answer } from '@muster/sdk'
import { CommandError } from '../command-error.ts'
import type { NounFacts } from '../description/description.ts'
import type { Run } from '../grammar/command.ts'
import type { Row } from '../output/output.ts'
import { cellText } from '../output/cell.ts'
import { safeText } from '../output/safe-text.ts'

const shortestPrefix = 4
const mostCandidates = 10

async function listItems(run: Run, noun: NounFacts, query: Readonly<Record<string, unknown>>) {
  const { client } = await run.connect()
  const operation = run.description.operations[noun.verbs['list'] ?? '']
  if (!operation) return []
  const { body } = await client.request(operation.id, { query })
  return ((body as Record<string, unknown>)[operation.answer?.key ?? ''] ?? []) as readonly Row[]
}

const describe = ({ id, name }: Row): string => safeText(`  ${cellText(id)}  ${cellText(name)}`)

function ambiguous(noun: NounFacts, given: string, items: readonly Row[]): CommandError {
  const shown = items.slice(0, mostCandidates).map(describe)
  const rest = items.length > mostCandidates ? ['  …'] : []
  return new CommandError(
    'notFound',
    [`"${given}" is not one of the ${noun.many} but several. Use an id:`, ...shown, ...rest].join(
      '\n',
    ),
  )
}

/** The id of the only item with this name. Operations on users and projects take ids only. */
async function findByName(run: Run, noun: NounFacts, given: string): Promise<string | undefined> {
  const list = run.description.operations[noun.verbs['list'] ?? '']
  if (list?.query.some(({ name }) => name === 'name') !== true) return undefined
  const items = await listItems(run, noun, { name: [given] })
  if (items.length > 1) throw ambiguous(noun, given, items)
  const id = items[0]?.['id']
  return typeof id === 'string' ? id : undefined
}

/** The item whose id begins with the given text, if there is exactly one. */
async function findByPrefix(run: Run, noun: NounFacts, given: string): Promise<string | undefined> {
  if (!/^[0-9a-f][0-9a-f-]+$/.test(given) || given.length < shortestPrefix) return undefined
  const query = { filter: [`id.startswith('${given}')`], limit: mostCandidates + 1 }
  const items = await listItems(run, noun, query)
  if (items.length > 1) throw ambiguous(noun, given, items)
  const id = items[0]?.['id']
  return typeof id === 'string' ? id : undefined
}

const isMissing = (error: unknown): boolean => isApiError(error) && error.status === 404
const isShared = (error: unknown): boolean => isApiError(error) && error.status === 409

/**
 * Calls an operation on the item that an id, a name or the beginning of an id names. The API finds ids and
 * names itself, so the usual case is one request.
 */
export async function requestItem(
  run: Run,
  noun: NounFacts,
  given: string,
  request: (id: string) => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  try {
    return await request(given)
  } catch (error) {
    if (isMissing(error)) {
      const id = (await findByName(run, noun, given)) ?? (await findByPrefix(run, noun, given))
      if (id === undefined || id === given) throw error
      return await request(id)
    }
    if (!isShared(error)) throw error
    const items = await listItems(run, noun, { name: [given] }).catch(() => [])
    if (items.length > 1) throw ambiguous(noun, given, items)
    throw error
  }
}

/** The id of an item, for operations that take ids only. */
export async function findId(run: Run, noun: NounFacts, given: string): Promise<string> {
  const show = noun.verbs['show']
  if (show === undefined) return given
  const { client } = await run.connect()
  const answer = await requestItem(run, noun, given, (id) =>
    client.request(show, { parameters: { id } }),
  )
  const key = run.description.operations[show]?.answer?.key ?? ''
  const item = (answer.body as Record<string, Row>)[key]
  const id = item?.['id']
  return typeof id === 'string' ? id : given
}
