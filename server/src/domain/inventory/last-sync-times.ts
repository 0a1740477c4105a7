import type { ServerParts } from './ports.ts'
import { origins } from './metadata.ts'

/** When each account was last synced completely, as far as this process knows. */
export interface LastSyncTimes {
  /** A timestamp; undefined before the first complete sync, or if there is no such account. */
  of(accountId: string): string | undefined
  /** Changes whenever a result of `of` changes. */
  version(): number
}

const key = `${origins.notes}synced_at`

/**
 * Adds the time of the last sync to the metadata. It is added when the server is shown; if it were
 * stored, every sync would write every server.
 */
export function withLastSyncTime(parts: ServerParts, syncTimes: LastSyncTimes): ServerParts {
  const { metadata } = parts
  const age = syncTimes.of(parts.accountId)
  if (age === undefined) return parts
  const separator = metadata.length > 2 ? ',' : ''
  const addition = Buffer.from(`${separator}"${key}":"${age}"}`)
  return {
    ...parts,
    metadata: Buffer.concat([metadata.subarray(0, -1), addition]),
    digest: `${parts.digest} ${age}`,
  }
}
