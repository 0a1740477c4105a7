import {
  maxPageSize,
  Server,
  defaultPageSize,
  type Server as ServerObject,
  type ServerListQuery,
} from '@muster/contract'
import { badField } from '../error.ts'
import { didYouMean } from '../nearest.ts'
import { fields, isField } from './fields.ts'
import { readCloudpodsParameters, type CloudpodsParameters } from './cloudpods-parameters.ts'
import { readSelection } from './read-selection.ts'
import type { Order, ServerQuery } from './server-query.ts'

const serverKeys = Object.keys(Server.properties)

/** What depends on the caller is as unknown here as what never was. */
function readOrder(
  { order_by = [], order = 'desc' }: ServerListQuery,
  words: CloudpodsParameters,
): readonly Order[] {
  const wanted = [
    ...order_by.map((by) => ({ name: 'order_by', by, descending: order === 'desc' })),
    ...words.order.map((each) => ({ name: `order_by_${each.by}`, ...each })),
  ]
  if (wanted.length === 0) return [{ field: 'created_at', descending: order === 'desc' }]
  const orders = new Map<string, Order>()
  for (const { name, by, descending } of wanted) {
    if (!isField(by)) {
      throw badField(
        name,
        `has ${JSON.stringify(by)}, which is not a field to sort by${didYouMean(by, Object.keys(fields))}`,
      )
    }
    // Sorted by it once, a second time changes nothing.
    if (!orders.has(by)) orders.set(by, { field: by, descending })
  }
  return [...orders.values()]
}

const isServerKey = (name: string): name is keyof ServerObject =>
  Object.hasOwn(Server.properties, name)

const sameWords = ({ same }: CloudpodsParameters, name: string) =>
  same.filter(({ as }) => as === name).flatMap(({ texts }) => texts)

function readKey(name: string, path: string): keyof ServerObject {
  if (isServerKey(name)) return name
  throw badField(
    path,
    `has ${JSON.stringify(name)}, which is not a field of servers${didYouMean(name, serverKeys)}`,
  )
}

function readKeys(
  { field = [] }: ServerListQuery,
  words: CloudpodsParameters,
): ServerQuery['keys'] {
  const exported = sameWords(words, 'field')
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const keys = new Set([
    ...field.map((name) => readKey(name, 'field')),
    ...exported.map((name) => readKey(name, 'export_keys')),
  ])
  return keys.size === 0 ? undefined : [...keys]
}

/** Cloudpods' clients send an offset of 0 with everything, and their own word for a marker. */
function readMarker(
  { marker, offset }: ServerListQuery,
  words: CloudpodsParameters,
): string | undefined {
  const [original, ...more] = sameWords(words, 'marker')
  if (more.length > 0) throw badField('paging_marker', 'is given twice')
  if (marker !== undefined && original !== undefined) {
    throw badField('paging_marker', 'is an alias of marker. Send only one of them.')
  }
  if (marker !== undefined && offset !== undefined) {
    throw badField('marker', 'cannot be combined with offset')
  }
  if (original !== undefined && (offset ?? 0) > 0) {
    throw badField('paging_marker', 'cannot be combined with offset')
  }
  return marker ?? original
}

/**
 * Parses the parameters of a list, which already fit the contract. `accepted` is the format that the
 * `Accept` header asks for.
 */
export function readServerQuery(
  parameters: ServerListQuery,
  accepted: ServerQuery['format'] = 'json',
): ServerQuery {
  const words = readCloudpodsParameters(parameters)
  const keys = readKeys(parameters, words)
  const withMetadata = parameters.with_meta ?? sameWords(words, 'with_meta').length > 0
  return {
    ...readSelection(parameters, words),
    details: parameters.details ?? false,
    // To name it is to ask for it.
    withMetadata: withMetadata || (keys?.includes('metadata') ?? false),
    keys,
    order: readOrder(parameters, words),
    limit: Math.min(parameters.limit ?? defaultPageSize, maxPageSize),
    offset: parameters.offset ?? 0,
    marker: readMarker(parameters, words),
    format: parameters.format ?? accepted,
  }
}
