import type { eventOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import { answerEvents, readEventQuery } from '../events.ts'
import type { HandlersFor } from '../register-operations.ts'

interface Dependencies {
  readonly administration: Administration
  readonly baseUrl: string
}

export const createEventHandlers = ({
  administration,
  baseUrl,
}: Dependencies): HandlersFor<typeof eventOperations> => ({
  async listEvents({ caller, query, url }) {
    const eventQuery = readEventQuery(query)
    const page = await administration.listEvents(caller, eventQuery, eventQuery.scope)
    return answerEvents(page, eventQuery, baseUrl + url)
  },
})
