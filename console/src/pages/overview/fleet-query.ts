import { statisticsQuery } from '../../api/queries/statistics.ts'
import { changedSince } from './days.ts'

/** One request for several charts of the page. */
export const fleetQuery = statisticsQuery({ groupBy: ['status', 'region', 'project'] })

export const changedQuery = (date: string) =>
  statisticsQuery({ groupBy: ['status'], q: changedSince(date) })
