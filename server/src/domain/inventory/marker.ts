import { hash } from 'node:crypto'
import { badField } from '../error.ts'
import { fields } from './fields.ts'
import type { Position, SortKey } from './ports.ts'
import type { Order, ServerQuery } from './server-query.ts'

type Asked = Pick<ServerQuery, 'scope' | 'view' | 'where' | 'order'>

/** What a marker belongs to: the same servers in the same order, whatever of them is shown. */
const digestOf = ({ scope, view, where, order }: Asked): string =>
  hash('sha1', JSON.stringify([scope, view, where, order]), 'base64url').slice(0, 12)

/** The place after a page, for the next one to begin there whatever has come or gone meanwhile. */
export const writeMarker = (query: Asked, { keys, id }: Position): string =>
  Buffer.from(JSON.stringify([digestOf(query), ...keys, id])).toString('base64url')

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0')

/** Anyone can write a marker: what it holds must be of the kind that is sorted by. */
function isKey(value: unknown, { field }: Order): value is SortKey {
  const kind = fields[field]
  if (kind === 'text') return isText(value)
  if (kind === 'boolean') return value === 0 || value === 1
  return Number.isSafeInteger(value) || (kind === 'timestamp' && value === null)
}

export function readMarker(text: string, query: Asked): Position {
  const parts = decode(text)
  if (!Array.isArray(parts)) throw badField('marker', 'is invalid. Take it from the Link header.')
  const [digest, ...rest] = parts as unknown[]
  if (digest !== digestOf(query))
    throw badField(
      'marker',
      'belongs to another query. Keep the query of the page that it comes from.',
    )
  const id = rest.pop()
  const areKeys =
    rest.length === query.order.length && query.order.every((order, at) => isKey(rest[at], order))
  if (!areKeys || !isText(id)) throw badField('marker', 'is invalid. Take it from the Link header.')
  return { keys: rest as SortKey[], id }
}
