import type { Server } from '@muster/contract'
import type { Changes } from '../../audit/event.ts'
import type { StoredServer } from '../ports.ts'
import { isBookkeeping } from './change-kinds.ts'
import { adminFields, diffServers, type ServerDiff } from './server-diff.ts'

/** The fields of a difference that users are told: Muster's bookkeeping is left out. */
export const toldChanges = (diff: ServerDiff, isAdmin: boolean): Changes =>
  Object.fromEntries(
    Object.entries(diff)
      .filter(([key]) => !isBookkeeping(key) && (isAdmin || !adminFields.has(key)))
      .map(([key, [before, after]]) => [key, [before, after] as [unknown, unknown]]),
  )

/** What the event of an action tells of a server. */
export const changesOf = ({ server, newFields }: StoredServer, after: Server): Changes =>
  toldChanges(diffServers(server, after, newFields), false)
