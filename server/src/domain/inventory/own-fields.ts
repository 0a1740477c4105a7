import type { Server } from '@muster/contract'
import { metadataOf, origins, tagsOf } from './metadata.ts'

type Notes = Readonly<Record<string, string>>

/** Notes (`sys:`) that Muster sets by itself. They survive every report of the source. */
interface OwnNotes {
  /** The unfinished task, whose status the server shows. */
  readonly task_id?: string
  /** What the source last said, while the server shows the status of a task. */
  readonly settled_status?: string
  /** `muster` if the description was written in Muster. */
  readonly described_by?: string
  /** Who protects the server against deletion: `muster`, `source` or both. */
  readonly protected_by?: string
  /** The id and the action of the last task, if it failed. */
  readonly failed_task?: string
}
/** The keys of a task change with each action, so they are not indexed. */
const unindexed: ReadonlySet<string> = new Set([
  'sys:task_id',
  'sys:settled_status',
  'sys:failed_task',
])
export const indexedMetadata = (metadata: Server['metadata']): [string, string][] =>
  Object.entries(metadata).filter(([key]) => !unindexed.has(key))

const ownNotes = [
  'task_id',
  'settled_status',
  'described_by',
  'protected_by',
  'failed_task',
] as const

export const ownNotesOf = ({ metadata }: Pick<Server, 'metadata'>): OwnNotes =>
  tagsOf(metadata, 'notes')

/** The same server with these notes. A note that is undefined is removed. */
export function withOwnNotes(
  server: Server,
  notes: { readonly [Name in keyof OwnNotes]: string | undefined },
): Server {
  const kept = Object.entries({ ...tagsOf(server.metadata, 'notes'), ...notes })
  return {
    ...server,
    metadata: metadataOf({
      own: tagsOf(server.metadata, 'own'),
      source: tagsOf(server.metadata, 'source'),
      notes: Object.fromEntries(kept.filter(([, value]) => value !== undefined)) as Notes,
    }),
  }
}

/** The status that the source last reported, whatever a task shows. */
export const settledStatus = (server: Pick<Server, 'status' | 'metadata'>): string =>
  ownNotesOf(server).settled_status ?? server.status

const protectors = ['muster', 'source'] as const
type Protector = (typeof protectors)[number]

export const isProtectedBy = (server: Pick<Server, 'metadata'>, protector: Protector): boolean =>
  ownNotesOf(server).protected_by?.split(', ').includes(protector) === true

/** Sets the protection against deletion, with those who requested it. */
export function withProtection(server: Server, by: Readonly<Record<Protector, boolean>>): Server {
  const names = protectors.filter((name) => by[name])
  const protected_by = names.length === 0 ? undefined : names.join(', ')
  return { ...withOwnNotes(server, { protected_by }), disable_delete: names.length > 0 }
}

/** While a task is unfinished, the server shows its status; the reported one is only noted. */
export function keepTaskStatus(server: Server, stored: Server): Server {
  const { task_id } = ownNotesOf(stored)
  if (task_id === undefined || server.deleted) return server
  const shown = withOwnNotes(server, { task_id, settled_status: server.status })
  return { ...shown, status: stored.status }
}

const outOfBin = { pending_deleted: false, pending_deleted_at: null, auto_delete_at: null } as const

/** Whether a reported server is still in the recycle bin. One that its source shows running is in use. */
function staysInBin(reported: Server, stored: Server, now: string): boolean {
  if (!stored.pending_deleted || reported.status === 'running') return false
  // Muster does not delete a server from the bin while it is gone. If its time expired meanwhile, it leaves
  // the bin, and only a user may delete it.
  return !stored.deleted || (stored.auto_delete_at ?? '') > now
}

/** A reported server with the fields that belong to Muster, also if it was gone for a while. */
export function keepOwnFields(reported: Server, stored: Server | undefined, now: string): Server {
  const source = reported.disable_delete
  // A shortcut: most servers have no such fields.
  const isPlain = !source && !reported.pending_deleted
  if (isPlain && (!stored || !hasOwnFields(stored))) return reported
  const { described_by, failed_task } = stored ? ownNotesOf(stored) : {}
  const muster = stored !== undefined && isProtectedBy(stored, 'muster')
  let server = withProtection(reported, { muster, source })
  if (!stored) return server
  if (described_by !== undefined) {
    server = { ...withOwnNotes(server, { described_by }), description: stored.description }
  }
  if (failed_task !== undefined && !stored.deleted) server = withOwnNotes(server, { failed_task })
  const { pending_deleted, pending_deleted_at, auto_delete_at } = staysInBin(reported, stored, now)
    ? stored
    : outOfBin
  const kept = { ...server, pending_deleted, pending_deleted_at, auto_delete_at }
  return stored.deleted ? kept : keepTaskStatus(kept, stored)
}

/** The server without what users wrote, so that it does not return with the server. */
export function withoutOwnFields(server: Server): Server {
  const isDescribed = ownNotesOf(server).described_by !== undefined
  const source = isProtectedBy(server, 'source')
  const plain = withProtection(
    withOwnNotes(server, { described_by: undefined, failed_task: undefined }),
    { muster: false, source },
  )
  return {
    ...plain,
    ...outOfBin,
    ...(isDescribed && { description: '' }),
    metadata: Object.fromEntries(
      Object.entries(plain.metadata).filter(([key]) => !key.startsWith(origins.own)),
    ),
  }
}

/** A server that no longer exists. Its status is unknown; the other fields keep their last values. */
export function endServer(server: Server, now: string): Server {
  const shown = ownNotesOf(server).task_id !== undefined
  const ended = shown ? withOwnNotes(server, { settled_status: 'unknown' }) : server
  return { ...ended, status: 'unknown', deleted: true, deleted_at: now }
}

const ownKeys = ownNotes.map((name) => `sys:${name}`)

const hasOwnFields = ({ metadata, pending_deleted }: Server): boolean =>
  pending_deleted || ownKeys.some((key) => metadata[key] !== undefined)
