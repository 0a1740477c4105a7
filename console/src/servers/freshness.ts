import type { CloudAccount, Server } from '@muster/contract'
import type { Tone } from '../ui/status-mark.tsx'

/** After so many periods without a complete sync nobody vouches for what is known of servers: as Muster itself counts. */
const tolerated = 3
/** In seconds: too long in any case, where the period is not known. */
const day = 86_400

/** Whether a sync should have been complete again by now. The period is in seconds. */
export function isOverdue(syncedAt: string | null, now: number, period?: number): boolean {
  if (syncedAt === null) return true
  const seconds = (now - Date.parse(syncedAt)) / 1000
  return seconds > (period === undefined ? day : tolerated * period)
}

/** How an account is: as the API says, or late where it should have been through again. */
export type Freshness = CloudAccount['status'] | 'late'

export function freshnessOf({ status, period, sync }: CloudAccount, now: number): Freshness {
  return status === 'connected' && isOverdue(sync.finished_at, now, period) ? 'late' : status
}

export const freshnessTones: Readonly<Record<Freshness, Tone>> = {
  init: 'busy',
  connected: 'good',
  late: 'warn',
  disconnected: 'warn',
  lost: 'bad',
  disabled: 'idle',
}

const stale: ReadonlySet<Freshness> = new Set(['late', 'disconnected', 'lost'])

/** Whether an account's servers may be others by now. What somebody has switched off is not to blame. */
export const isStale = (freshness: Freshness): boolean => stale.has(freshness)

/** When what is known of a server was last complete; undefined where it never was. */
export const syncedAt = ({ metadata }: Pick<Server, 'metadata'>): string | undefined =>
  metadata['sys:synced_at']

/**
 * Whether what is shown of a server can no longer be relied on: its source does not answer, or too
 * many syncs were missed. Who may not read the account does not know its period.
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
