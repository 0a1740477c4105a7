import { largestEventPage } from '@muster/contract'
import type { Administration } from '../../domain/identity/administration/administration.ts'
import { readMoment } from '../../domain/read-moment.ts'
import type { Handlers } from '../mount.ts'
import { nextLink } from './pages.ts'
import type { Views } from './views.ts'

interface Dependencies {
  readonly administration: Administration
  readonly views: Views
  readonly baseUrl: string
}

const usualPage = 20

export const createEventHandlers = (dependencies: Dependencies): Pick<Handlers, 'listEvents'> => {
  const { administration, views, baseUrl } = dependencies
  return {
    async listEvents({ caller, query, url }) {
      const { since, before, marker, limit = usualPage, ...matching } = query
      const size = Math.min(limit, largestEventPage)
      const { items, next } = await administration.listEvents(caller, {
        ...(since !== undefined && { since: readMoment(since, 'since') }),
        ...(before !== undefined && { before: readMoment(before, 'before') }),
        ...(marker !== undefined && { marker }),
        matching,
        limit: size,
      })
      return {
        status: 200,
        body: { events: items.map(views.event), limit: size },
        ...nextLink(baseUrl + url, next),
      }
    },
  }
}
