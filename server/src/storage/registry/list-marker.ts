import { badField } from '../../domain/error.ts'
import type { ListQuery } from '../../domain/identity/administration/registry.ts'
import type { Cell } from './resource-columns.ts'

/** The position in a sorted list after which a page begins. */
export interface Position {
  readonly value: Cell
  readonly id: string
}

type Order = Pick<ListQuery, 'sortKey' | 'descending'>

/** A marker that stays valid when the row it points to is deleted. */
export const writeMarker = ({ sortKey, descending }: Order, { value, id }: Position): string =>
  Buffer.from(JSON.stringify([sortKey, descending, value, id])).toString('base64url')

/** Undefined for a text that is not one of our markers: it may be an id. */
export function readMarker(text: string, order: Order): Position | undefined {
  const parts = decode(text)
  if (!Array.isArray(parts)) return undefined
  const [sortKey, descending, value, id] = parts as unknown[]
  const isOfThisOrder = sortKey === order.sortKey && descending === order.descending
  if (!isOfThisOrder || !isCell(value, order.sortKey) || !isText(id)) {
    throw badField('marker', 'belongs to a list with another sort order')
  }
  return { value, id }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0')

/** Checks the type, because clients can send any marker. */
function isCell(value: unknown, sortKey: string): value is Cell {
  if (sortKey === 'name') return isText(value)
  return sortKey === 'enabled' ? value === 0 || value === 1 : Number.isSafeInteger(value)
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
