import {
  eventDeliveries,
  type eventDeliveryOperations,
  type eventOperations,
  type ScopeParameter,
} from '@muster/contract'
import { exportEvents } from '../../domain/audit/export-events.ts'
import type { EventQuery } from '../../domain/audit/event-store.ts'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import type { ListEvents } from '../../domain/inventory/history/list-events.ts'
import { requesterOf } from '../../domain/identity/requester-of.ts'
import { chooseFormat } from '../../domain/query/choose-format.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { answerPlatformPage } from '../platform-list.ts'
import { answerExport } from '../answer-export.ts'
import {
  answerCloudpodsEvents,
  answerEvents,
  readCloudpodsKeys,
  readCloudpodsNames,
  readEventQuery,
} from '../events.ts'
import type { HandlersFor } from '../register-operations.ts'

const deliveryFields: QueryFields<string> = queryFieldsOf(eventDeliveries)

interface CloudpodsCall {
  readonly caller: Caller
  readonly query: Parameters<typeof readCloudpodsNames>[0]
  readonly url: string
}

interface Dependencies {
  readonly administration: Administration
  readonly listEvents: ListEvents
  readonly authUrl: string
  readonly baseUrl: string
}

export function createEventHandlers({
  administration,
  listEvents,
  authUrl,
  baseUrl,
}: Dependencies): HandlersFor<typeof eventOperations | typeof eventDeliveryOperations> {
  const list = (caller: Caller, query: EventQuery, scope: ScopeParameter | undefined) =>
    listEvents(caller, query, scope, (asked) => administration.listEvents(caller, asked, scope))

  const listForCloudpods = (key: 'events' | 'actions', servedAt: string) =>
    async function listCloudpodsEvents({ caller, query, url }: CloudpodsCall) {
      const { field, ...parameters } = readCloudpodsNames(query).parameters
      const eventQuery = { ...readEventQuery(parameters), requester: requesterOf(caller) }
      const keys = readCloudpodsKeys(field)
      const page = await list(caller, eventQuery, eventQuery.scope)
      return await answerCloudpodsEvents(key, page, { ...eventQuery, keys }, servedAt + url)
    }
  const listEventsForCloudpods = listForCloudpods('events', baseUrl)

  return {
    async listEvents({ caller, query: { format, ...query }, accept, url }) {
      const wanted = format ?? chooseFormat(accept)
      const { isCloudpods, parameters } = readCloudpodsNames(query)
      if (isCloudpods && wanted === 'json') {
        return await listEventsForCloudpods({ caller, query, url })
      }
      const eventQuery = { ...readEventQuery(parameters), requester: requesterOf(caller) }
      if (wanted !== 'json') {
        const options = { format: wanted, keys: eventQuery.keys }
        const { scope } = eventQuery
        const body = await exportEvents((asked) => list(caller, asked, scope), eventQuery, options)
        return answerExport('events', wanted, body)
      }
      const page = await list(caller, eventQuery, eventQuery.scope)
      return await answerEvents(page, eventQuery, baseUrl + url)
    },

    async getEventStatistics({ caller, query: { interval, time_zone: timeZone, ...filter } }) {
      const { scope, ...query } = { ...readEventQuery(filter), requester: requesterOf(caller) }
      const by = { ...(interval && { interval }), ...(timeZone !== undefined && { timeZone }) }
      return { status: 200, body: await administration.countEvents(caller, query, scope, by) }
    },

    listIdentityEvents: listForCloudpods('events', authUrl),
    listActions: listForCloudpods('actions', baseUrl),

    async listEventDeliveries({ caller, query, url }) {
      const listQuery = readListQuery(deliveryFields, query, 'time')
      const page = await administration.listEventDeliveries(caller, listQuery)
      return await answerPlatformPage('event_deliveries', page, listQuery, baseUrl + url)
    },
  }
}
