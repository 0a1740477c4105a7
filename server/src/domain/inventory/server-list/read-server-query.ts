import type { Server, ServerListQuery } from '@muster/contract'
import { badField } from '../../error.ts'
import { allOf } from '../../query/conditions.ts'
import { readKey, readLimit, readOrder } from '../../query/read-list-query.ts'
import { readCloudpodsParameters, type CloudpodsParameters } from '../cloudpods-parameters.ts'
import { serverFields } from '../fields.ts'
import { readServerFilter } from './read-server-filter.ts'
import type { ServerQuery } from './server-query.ts'

const sameWords = ({ same }: CloudpodsParameters, name: string) =>
  same.filter(({ as }) => as === name).flatMap(({ texts }) => texts)

function readKeys(
  { field = [] }: ServerListQuery,
  words: CloudpodsParameters,
): ServerQuery['keys'] {
  const exported = sameWords(words, 'field')
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const keys = new Set([
    ...field.map((name) => readKey(serverFields, name, 'field')),
    ...exported.map((name) => readKey(serverFields, name, 'export_keys')),
  ])
  return keys.size === 0 ? undefined : ([...keys] as (keyof Server)[])
}

/** Cloudpods' clients always send `offset=0`, and have another name for the marker. */
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

/** Parameters that neither filter servers nor choose fields. Most requests have no others. */
const defaultListParameters: ReadonlySet<string> = new Set([
  'as_of',
  'details',
  'limit',
  'offset',
  'order',
  'scope',
  'with_meta',
])

const isDefaultList = (parameters: ServerListQuery): boolean => {
  for (const name in parameters) if (!defaultListParameters.has(name)) return false
  return true
}

const defaultListQuery = (
  parameters: ServerListQuery,
  accepted: ServerQuery['format'],
): ServerQuery => ({
  scope: parameters.scope,
  state: 'live',
  where: allOf([]),
  details: parameters.details ?? false,
  withMetadata: parameters.with_meta ?? false,
  keys: undefined,
  order: [{ field: 'created_at', descending: parameters.order !== 'asc' }],
  limit: readLimit(parameters),
  offset: parameters.offset ?? 0,
  marker: undefined,
  format: accepted,
})

/**
 * Parses the parameters of a list, which already fit the contract. `accepted` is the format that the
 * `Accept` header asks for.
 */
export function readServerQuery(
  parameters: ServerListQuery,
  accepted: ServerQuery['format'] = 'json',
): ServerQuery {
  if (isDefaultList(parameters)) return defaultListQuery(parameters, accepted)
  const words = readCloudpodsParameters(parameters)
  const keys = readKeys(parameters, words)
  const withMetadata = parameters.with_meta ?? sameWords(words, 'with_meta').length > 0
  return {
    ...readServerFilter(parameters, words),
    details: parameters.details ?? false,
    // Requesting the field includes the metadata.
    withMetadata: withMetadata || (keys?.includes('metadata') ?? false),
    keys,
    order: readOrder(
      serverFields,
      parameters,
      'created_at',
      words.order.map((each) => ({ parameter: `order_by_${each.by}`, ...each })),
    ),
    limit: readLimit(parameters),
    offset: parameters.offset ?? 0,
    marker: readMarker(parameters, words),
    format: parameters.format ?? accepted,
  }
}
