import type { eventOperations } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import { renderEvent, toEventQuery } from '../events.ts'
import type { HandlersFor } from '../register-operations.ts'
import { nextLink } from '../next-link.ts'
import { withoutPaging } from './pages.ts'

interface Dependencies {
  readonly administration: Administration
  readonly baseUrl: string
}

export const createEventHandlers = (
  dependencies: Dependencies,
): HandlersFor<typeof eventOperations> => {
  const { administration, baseUrl } = dependencies
  return {
    async listEvents({ caller, query, url }) {
      const matching = withoutPaging(query)
      const eventQuery = toEventQuery(query)
      const { items, next } = await administration.listEvents(caller, { ...eventQuery, matching })
      return {
        status: 200,
        body: { events: items.map(renderEvent), limit: eventQuery.limit },
        headers: nextLink(baseUrl + url, next === undefined ? undefined : { marker: next }),
      }
    },
  }
}
