import type { CloudAccount, Server } from '@muster/contract'
import type { Tone } from '../ui/status-mark.tsx'

/** After this many sync intervals without a full sync, data counts as stale, as on the server. */
const tolerated = 3
/** In seconds: the limit if the sync interval is unknown. */
const day = 86_400

/** Whether the next full sync is overdue. The period is in seconds. */
export function isOverdue(syncedAt: string | null, now: number, period?: number): boolean {
  if (syncedAt === null) return true
  const seconds = (now - Date.parse(syncedAt)) / 1000
  return seconds > (period === undefined ? day : tolerated * period)
}

/** The account's status, or late if a sync is overdue. */
export type Freshness = CloudAccount['status'] | 'late'

export function freshnessOf({ status, period, sync }: CloudAccount, now: number): Freshness {
  const works = status === 'connected' || status === 'degraded'
  return works && isOverdue(sync.finished_at, now, period) ? 'late' : status
}

export const freshnessTones: Readonly<Record<Freshness, Tone>> = {
  init: 'busy',
  connected: 'good',
  late: 'warn',
  degraded: 'warn',
  disconnected: 'warn',
  lost: 'bad',
  disabled: 'idle',
}

const stale: ReadonlySet<Freshness> = new Set(['late', 'disconnected', 'lost'])

/** Whether an account's data may be out of date. Disabled accounts are not stale. */
export const isStale = (freshness: Freshness): boolean => stale.has(freshness)

/** Whether somebody should look at an account. */
export const needsAttention = (freshness: Freshness): boolean =>
  isStale(freshness) || freshness === 'degraded'

/** The time of the last full sync of a server; undefined for never. */
export const syncedAt = ({ metadata }: Pick<Server, 'metadata'>): string | undefined =>
  metadata['sys:synced_at']

/**
 * Whether the data of a server is stale: its source does not respond, or syncs are overdue. Without
 * access to the account, the sync interval is unknown.
 */
export function isServerStale(
  server: Pick<Server, 'metadata' | 'host_service_status'>,
  now: number,
  period?: number,
): boolean {
  if (server.host_service_status === 'offline') return true
  const time = syncedAt(server)
  return time !== undefined && isOverdue(time, now, period)
}
