import type { HostFeedQuery } from '@muster/contract'
import { readCloudpodsParameters } from '../cloudpods-parameters.ts'
import { readServerFilter, type FilterParameters } from '../server-list/read-server-filter.ts'
import type { ServerQuery } from '../server-list/server-query.ts'
import type { HostOptions } from './name-hosts.ts'

/** All servers of a feed, with all their fields, the oldest first. */
export const readFeedQuery = (parameters: FilterParameters): ServerQuery => ({
  ...readServerFilter(parameters, readCloudpodsParameters(parameters)),
  details: true,
  withMetadata: true,
  keys: undefined,
  order: [{ field: 'created_at', descending: false }],
  limit: 0,
  offset: 0,
  marker: undefined,
  format: 'ndjson',
})

export const readHostOptions = ({ address, suffix }: HostFeedQuery): HostOptions => ({
  address: address ?? 'first',
  suffix: suffix ?? '',
})
