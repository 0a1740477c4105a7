import { statisticsQuery } from '../../api/queries/statistics.ts'

export const breakdowns = ['status', 'provider', 'region', 'project', 'os_name'] as const
export type Breakdown = (typeof breakdowns)[number]

export const readBreakdown = (text: string | undefined): Breakdown =>
  breakdowns.find((name) => name === text) ?? 'status'

/** The figures of the page, and the servers by one field. */
export const fleetQuery = (by: Breakdown, asOf: string | undefined) =>
  statisticsQuery({ groupBy: by === 'status' ? ['status'] : ['status', by], asOf })
