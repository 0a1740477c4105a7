import { statisticsQuery } from '../../api/queries/statistics.ts'
import { changedSince } from './days.ts'

/** What several parts of the page are drawn from, asked once. */
export const fleetQuery = statisticsQuery({ groupBy: ['status', 'region', 'project'] })

export const changedQuery = (date: string) =>
  statisticsQuery({ groupBy: ['status'], q: changedSince(date) })
