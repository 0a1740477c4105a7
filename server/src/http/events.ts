import { CloudpodsEventDto, events } from '@muster/contract'
import type { EventPage, EventQuery } from '../domain/audit/event-store.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import { badField } from '../domain/error.ts'
import { renderEvent } from '../domain/audit/render-event.ts'
import type { ListQuery } from '../domain/query/list-query.ts'
import { queryFieldsOf } from '../domain/query/query-fields.ts'
import { readKey, readListQuery, type ListParameters } from '../domain/query/read-list-query.ts'
import { renderList } from '../domain/query/render-list.ts'
import { selectKeys } from '../domain/query/select-keys.ts'
import { readTimestamp } from '../domain/read-timestamp.ts'
import { timestamp } from '../domain/timestamp.ts'
import { nextLink } from './next-link.ts'

const fields = queryFieldsOf(events)

interface EventParameters extends ListParameters {
  readonly since?: string
  readonly before?: string
}

type ParsedQuery = Omit<EventQuery, 'requester'> & Pick<ListQuery<string>, 'scope' | 'keys'>

/** Parses the query of a list of events. They can be sorted by time only. */
export function readEventQuery({ since, before, ...parameters }: EventParameters): ParsedQuery {
  const { where, order, limit, marker, scope, keys } = readListQuery(fields, parameters, 'time')
  return {
    ...(since !== undefined && { since: readTimestamp(since, 'since') }),
    ...(before !== undefined && { before: readTimestamp(before, 'before') }),
    ...(marker !== undefined && { marker }),
    where,
    descending: order[0]?.descending ?? true,
    limit,
    scope,
    keys,
  }
}

/** Cloudpods' names of parameters. */
const aliases = {
  obj_type: 'target_type',
  obj_id: 'target_id',
  obj_name: 'target_name',
  owner_project_ids: 'project_id',
  owner_domain_ids: 'domain_id',
  until: 'before',
  paging_marker: 'marker',
} as const

type CloudpodsParameters = EventParameters &
  Readonly<Partial<Record<keyof typeof aliases, unknown>>> & { readonly success?: boolean }

/** The parameters of Cloudpods' client by the names of Muster, and whether there are any. */
export function readCloudpodsNames({ success, ...given }: CloudpodsParameters): {
  readonly isCloudpods: boolean
  readonly parameters: EventParameters
} {
  const parameters: Record<string, unknown> = {}
  const set = (name: string, alias: string, value: unknown) => {
    if (name !== alias && Object.hasOwn(given, name)) {
      throw badField(alias, `means the same as ${name}. Send only one of them.`)
    }
    parameters[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    set((aliases as Readonly<Record<string, string>>)[name] ?? name, name, value)
  }
  if (success !== undefined) {
    set('result', 'success', success ? ['success'] : ['failure', 'denied'])
  }
  return {
    isCloudpods: success !== undefined || Object.keys(aliases).some((name) => name in given),
    parameters,
  }
}

const renderCloudpodsEvent = (event: EventRecord): CloudpodsEventDto => ({
  id: event.id,
  ops_time: timestamp(event.time),
  obj_type: event.target_type,
  obj_id: event.target_id,
  obj_name: event.target_name,
  user: event.user,
  user_id: event.user_id,
  owner_tenant_id: event.project_id,
  owner_domain_id: event.domain_id,
  action: event.action,
  success: event.result === 'success',
  notes: JSON.stringify(event.changes),
  ip: event.ip,
  request_id: event.request_id,
})

/** A page of events as Cloudpods' client reads it. */
export const answerCloudpodsEvents = async (
  key: 'events' | 'actions',
  { items, next }: EventPage,
  { limit, keys }: Pick<ParsedQuery, 'limit' | 'keys'>,
  address: string,
) => ({
  status: 200,
  body: await renderList(key, items, (event) => selectKeys(renderCloudpodsEvent(event), keys), {
    limit,
    next_marker: next ?? '',
  }),
  headers: nextLink(address, next === undefined ? undefined : { marker: next }),
})

/** The fields that the response contains, by Cloudpods' names. */
export const readCloudpodsKeys = (field: readonly string[] | undefined) =>
  field?.map((name) => readKey(cloudpodsKeys, name, 'field'))

const cloudpodsKeys = { keys: Object.keys(CloudpodsEventDto.properties), many: 'events' }

/** The response for a page of events. It has no `total`: counting the audit log would be slow. */
export const answerEvents = async (
  { items, next }: EventPage,
  { limit, keys }: ParsedQuery,
  address: string,
) => ({
  status: 200,
  body: await renderList('events', items, (event) => selectKeys(renderEvent(event), keys), {
    limit,
  }),
  headers: nextLink(address, next === undefined ? undefined : { marker: next }),
})
