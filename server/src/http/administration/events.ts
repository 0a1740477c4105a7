import {
  eventDeliveries,
  type eventDeliveryOperations,
  type eventOperations,
} from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import { chooseFormat } from '../../domain/query/choose-format.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import { readListQuery } from '../../domain/query/read-list-query.ts'
import { answerPlatformPage } from '../platform-list.ts'
import { answerExport } from '../answer-export.ts'
import { answerEvents, readEventQuery } from '../events.ts'
import type { HandlersFor } from '../register-operations.ts'

const deliveryFields: QueryFields<string> = queryFieldsOf(eventDeliveries)

interface Dependencies {
  readonly administration: Administration
  readonly baseUrl: string
}

export const createEventHandlers = ({
  administration,
  baseUrl,
}: Dependencies): HandlersFor<typeof eventOperations | typeof eventDeliveryOperations> => ({
  async listEvents({ caller, query: { format, ...query }, accept, url }) {
    const eventQuery = readEventQuery(query)
    const wanted = format ?? chooseFormat(accept)
    if (wanted !== 'json') {
      const options = { format: wanted, keys: eventQuery.keys }
      const { scope } = eventQuery
      const body = await administration.exportEvents(caller, eventQuery, scope, options)
      return answerExport('events', wanted, body)
    }
    const page = await administration.listEvents(caller, eventQuery, eventQuery.scope)
    return answerEvents(page, eventQuery, baseUrl + url)
  },

  async listEventDeliveries({ query, url }) {
    const listQuery = readListQuery(deliveryFields, query, 'time')
    const page = await administration.listEventDeliveries(listQuery)
    return answerPlatformPage('event_deliveries', page, listQuery, baseUrl + url)
  },
})
