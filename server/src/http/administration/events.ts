import type { Administration } from '../../domain/identity/administration/administration.ts'
import { renderEvent, toEventQuery } from '../events.ts'
import type { Handlers } from '../register-operations.ts'
import { nextLink, withoutPaging } from './pages.ts'

interface Dependencies {
  readonly administration: Administration
  readonly baseUrl: string
}

export const createEventHandlers = (dependencies: Dependencies): Pick<Handlers, 'listEvents'> => {
  const { administration, baseUrl } = dependencies
  return {
    async listEvents({ caller, query, url }) {
      const matching = withoutPaging(query)
      const asked = toEventQuery(query)
      const { items, next } = await administration.listEvents(caller, { ...asked, matching })
      return {
        status: 200,
        body: { events: items.map(renderEvent), limit: asked.limit },
        ...nextLink(baseUrl + url, next),
      }
    },
  }
}
