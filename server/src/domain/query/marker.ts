import { hash } from 'node:crypto'
import { badField } from '../error.ts'
import type { FieldKind } from './query-fields.ts'
import type { Order } from './list-query.ts'

export type SortKey = string | number | null

/** The position after which a page starts: the sort keys and the id of an object. */
export interface Position {
  readonly keys: readonly SortKey[]
  readonly id: string
}

/** The part of a query that a marker belongs to. */
interface Asked<Field extends string> {
  readonly resource?: string
  readonly scope?: string | undefined
  readonly state?: string
  readonly where: object
  readonly order: readonly Order<Field>[]
}

/** The same objects in the same order, whichever of their fields are shown. */
const digestOf = <Field extends string>({
  resource,
  scope,
  state,
  where,
  order,
}: Asked<Field>): string =>
  hash('sha1', JSON.stringify([resource, scope, state, where, order]), 'base64url').slice(0, 12)

/** The position after a page, where the next one starts even if objects were added or removed. */
export const writeMarker = <Field extends string>(
  query: Asked<Field>,
  { keys, id }: Position,
): string => Buffer.from(JSON.stringify([digestOf(query), ...keys, id])).toString('base64url')

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Whether a text is a marker of Muster. Otherwise it may be an id. */
export const isMarker = (text: string): boolean => Array.isArray(decode(text))

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0')

/** Anyone can write a marker, so its keys must have the kinds of the sort fields. */
function isKey(value: unknown, kind: FieldKind): value is SortKey {
  if (kind === 'text') return isText(value)
  if (kind === 'boolean') return value === 0 || value === 1
  return Number.isSafeInteger(value) || (kind === 'timestamp' && value === null)
}

export function readMarker<Field extends string>(
  kinds: Readonly<Record<Field, FieldKind>>,
  text: string,
  query: Asked<Field>,
): Position {
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
    rest.length === query.order.length &&
    query.order.every(({ field }, at) => isKey(rest[at], kinds[field]))
  if (!areKeys || !isText(id)) throw badField('marker', 'is invalid. Take it from the Link header.')
  return { keys: rest as SortKey[], id }
}
