import { Type, type Static } from 'typebox'
import { exactObject, Timestamp } from '../scalars.ts'

/** How many syncs of each account are stored. */
export const storedSyncs = 100

export const AccountSyncRun = exactObject({
  started_at: Timestamp,
  finished_at: Timestamp,
  duration_ms: Type.Integer(),
  result: Type.Enum(['complete', 'failed', 'postponed'], {
    description:
      '`complete`: all servers were read, except for regions that the warnings named. `failed`: see `error`. `postponed`: Muster could not store the result, and reads the source again.',
  }),
  seen: Type.Integer({
    description: 'Servers found. If the sync did not complete: until it ended.',
  }),
  created: Type.Integer(),
  changed: Type.Integer(),
  gone: Type.Integer(),
  error: Type.String({ description: 'Why the sync did not complete. Empty if it did.' }),
})
export type AccountSyncRun = Static<typeof AccountSyncRun>

export const AccountSyncRunList = exactObject({ syncs: Type.Array(AccountSyncRun) })

export const syncRunExample: AccountSyncRun = {
  started_at: '2026-05-04T02:00:00.000000Z',
  finished_at: '2026-05-04T02:00:08.250000Z',
  duration_ms: 8_250,
  result: 'complete',
  seen: 412,
  created: 3,
  changed: 5,
  gone: 1,
  error: '',
}
