import { maxTagKeyLength, maxTags, type MetadataChange, type Server } from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Changes } from '../audit/event.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { Clock } from '../clock.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { timestamp } from '../timestamp.ts'
import { withReadScope } from './with-read-scope.ts'
import type { FindServer } from './get-server.ts'
import { metadataOf, origins, tagsOf } from './metadata.ts'
import type { ServerWriter, StoredServer } from './ports.ts'
import { renderServer } from './render-server.ts'
import { covers } from '../scope.ts'
import { mayNotUpdate } from './caller-fields.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly serverWriter: ServerWriter
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly clock: Clock
}

type Wishes = MetadataChange['metadata']
type Tags = Readonly<Record<string, string>>

const control = /\p{Cc}/u

/** The key of a user's own tag, without its prefix. */
function readKey(key: string): string {
  const path = `metadata.${key.slice(0, maxTagKeyLength)}`
  for (const prefix of [origins.source, origins.notes]) {
    if (key.startsWith(prefix)) {
      throw badField(path, `is read-only: keys with the prefix ${prefix} cannot be changed`)
    }
  }
  const bare = key.startsWith(origins.own) ? key.slice(origins.own.length) : key
  if (bare === '' || control.test(bare)) throw badField(path, 'is not a valid tag key')
  if (bare.length > maxTagKeyLength) {
    throw badField(path, `is longer than ${maxTagKeyLength} characters`)
  }
  return bare
}

/** The requested changes, by key without prefix. The same key in two spellings is an error. */
function readWishes(wishes: Wishes): Map<string, string | null> {
  const read = new Map<string, string | null>()
  for (const [key, value] of Object.entries(wishes)) {
    const bare = readKey(key)
    if (read.has(bare)) throw badField(`metadata.${key}`, 'is given twice')
    read.set(bare, value)
  }
  return read
}

function apply(before: Tags, wishes: ReadonlyMap<string, string | null>): Tags {
  const after = new Map(Object.entries(before))
  for (const [key, value] of wishes) {
    if (value === null) after.delete(key)
    else after.set(key, value)
  }
  if (after.size > maxTags) {
    throw badField('metadata', `would exceed ${maxTags} user tags`)
  }
  return Object.fromEntries(after)
}

function differences(before: Tags, after: Tags): Changes {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const value = (tags: Tags, key: string) => (Object.hasOwn(tags, key) ? tags[key] : null) ?? null
  return Object.fromEntries(
    keys
      .filter((key) => value(before, key) !== value(after, key))
      .map((key) => [origins.own + key, [value(before, key), value(after, key)]]),
  )
}

const tagged = (server: Server, own: Tags, now: string): Server => ({
  ...server,
  metadata: metadataOf({
    own,
    source: tagsOf(server.metadata, 'source'),
    notes: tagsOf(server.metadata, 'notes'),
  }),
  update_version: server.update_version + 1,
  updated_at: now,
})

/** Changes the user's tags of a server. Tags of its source stay as they are. */
export function createChangeMetadata({
  findServer,
  serverWriter,
  reauthorizeCaller,
  clock,
}: Dependencies) {
  async function findStored(caller: Caller, idOrName: string): Promise<StoredServer> {
    const { parts, visibility } = await findServer(withReadScope(caller), idOrName)
    const stored = (await serverWriter.findStored([parts.id])).get(parts.id)
    if (!stored || stored.server.deleted) {
      throw new PlatformError('InvalidStatusError', 'The server is deleted.')
    }
    // Checks the permission on the server as it is now: it may have moved to another project since it was
    // found.
    const { project_id: projectId, domain_id: domainId } = stored.server
    if (!covers(visibility.updates, { projectId, domainId })) {
      throw new PlatformError('ForbiddenError', mayNotUpdate)
    }
    return stored
  }

  async function changeOnce(
    caller: Caller,
    idOrName: string,
    change: (own: Tags) => Tags,
  ): Promise<Server['metadata'] | undefined> {
    const stored = await findStored(caller, idOrName)
    const before = tagsOf(stored.server.metadata, 'own')
    const changes = differences(before, change(before))
    if (Object.keys(changes).length === 0) return stored.server.metadata
    const server = tagged(stored.server, change(before), timestamp(clock()))
    const event = createAuditEvent(
      caller,
      {
        action: 'update',
        targetType: 'server',
        targetId: server.id,
        targetName: server.name,
        scope: { kind: 'project', projectId: server.project_id, domainId: server.domain_id },
        changes,
      },
      clock,
    )
    const write = {
      stored,
      server,
      factsDigest: stored.factsDigest,
      rendered: renderServer(server),
    }
    return (await serverWriter.write([write], [event])) ? server.metadata : undefined
  }

  const changeTags = (caller: Caller, idOrName: string, change: (own: Tags) => Tags) =>
    retryOnConflict(async () => changeOnce(await reauthorizeCaller(caller), idOrName, change), {
      exhausted: () => conflicted('The server'),
    })

  return {
    mergeServerMetadata(caller: Caller, idOrName: string, metadata: Wishes) {
      const wishes = readWishes(metadata)
      return changeTags(caller, idOrName, (own) => apply(own, wishes))
    },
    replaceServerMetadata(caller: Caller, idOrName: string, metadata: Wishes) {
      const wishes = readWishes(metadata)
      return changeTags(caller, idOrName, () => apply({}, wishes))
    },
  }
}
