import { hash, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Server } from '@muster/contract'
import type { Clock } from '../clock.ts'
import { timestamp } from '../timestamp.ts'
import { buildServer, defaultServer } from './build-server.ts'
import { diffServers } from './history/server-diff.ts'
import { tagsOf } from './metadata.ts'
import { endServer, isProtectedBy, keepOwnFields, keepTaskStatus } from './own-fields.ts'
import type { Owners } from './owners.ts'
import type { ServerWriter, StoredServer, Owner, ServerWrite } from './ports.ts'
import { renderServer } from './render-server.ts'
import type { ServerFacts } from './server-facts.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import type { ReportedServers, ReportingAccount } from './reporting-account.ts'

export interface Scan extends ReportedServers {
  /** The account that reports the servers. */
  readonly reporter?: ReportingAccount
}

export interface Recorded {
  readonly created: number
  readonly changed: number
  readonly gone: number
}

interface Dependencies {
  readonly serverWriter: ServerWriter
  readonly owners: Owners
  readonly clock: Clock
}

const isThere = (stored: StoredServer | undefined): stored is StoredServer =>
  stored !== undefined && !stored.server.deleted

/** Writes the reported servers. An unchanged server costs one comparison. */
export function createRecordServers({ serverWriter, owners, clock }: Dependencies) {
  const digestOf = (facts: ServerFacts, reporter: ReportingAccount | undefined) =>
    reporter?.digestOf(facts.id) ?? hash('sha1', JSON.stringify(facts), 'base64url')

  /**
   * A server stays with the account that holds it for as long as that account sees it. Another domain does not
   * get it, nor one that has ended, while an active account of its own domain sees it. Returns that account for
   * each such server.
   */
  async function findHeldElsewhere({ present, reporter }: Scan, stored: Kept) {
    const others = present.flatMap((facts) => {
      const server = stored.get(facts.id)?.server
      const isOwn = !server?.deleted && server?.account_id === reporter?.accountId
      return !reporter || !server || isOwn ? [] : [{ facts, server }]
    })
    const heldBy = new Map<string, string>()
    if (!reporter || others.length === 0) return heldBy
    const seeing = await reporter.findOthers(others.map(({ facts }) => facts.id))
    const ownerOf = await owners.byProject()
    for (const { facts, server } of others) {
      const isForeign = ownerOf.get(facts.project_id)?.domainId !== server.domain_id
      const holder = seeing
        .get(facts.id)
        ?.find(
          ({ accountId, domainId, isActive }) =>
            (!server.deleted && accountId === server.account_id) ||
            (isForeign && isActive && domainId === server.domain_id),
        )
      if (holder) heldBy.set(facts.id, holder.accountId)
    }
    return heldBy
  }

  /** Servers that are gone end, or go to another account. Those that their holder still sees stay there. */
  async function findLost({ gone, reporter }: Scan, stored: Kept) {
    const there = gone.map((id) => stored.get(id)).filter(isThere)
    if (!reporter) return { ended: there, successors: new Map<string, Partial<Server>>(), kept: [] }
    const others = there.filter(({ server }) => server.account_id !== reporter.accountId)
    const seeing =
      others.length === 0 ? undefined : await reporter.findOthers(others.map(({ id }) => id))
    const isKept = ({ id, server }: StoredServer) =>
      seeing?.get(id)?.some(({ accountId }) => accountId === server.account_id) === true
    const lost = there.filter((one) => !isKept(one))
    const successors =
      lost.length === 0 ? new Map<string, Partial<Server>>() : await reporter.findSuccessors(lost)
    const ended = lost.filter(({ id }) => !successors.has(id))
    return { ended, successors, kept: there.filter(isKept) }
  }

  /** Servers that exist for the first time, or again. Their ids may have been replaced meanwhile. */
  async function findRenamed({ present, reporter }: Scan, stored: Kept) {
    const ids = present.map(({ id }) => id).filter((id) => !isThere(stored.get(id)))
    if (!reporter || ids.length === 0) return { created: [], renamed: new Set<string>() }
    const renamed = await reporter.findRenamed(ids)
    return { created: ids.filter((id) => !renamed.has(id)), renamed }
  }

  /** The servers as which foreign ones return to a domain that had them before. */
  async function findFormer(
    news: readonly { readonly facts: ServerFacts }[],
    stored: Kept,
    ownerOf: ReadonlyMap<string, Owner>,
    reporter: ReportingAccount | undefined,
  ) {
    const foreign = news.flatMap(({ facts }) => {
      const before = stored.get(facts.id)
      const domainId = ownerOf.get(facts.project_id)?.domainId ?? ''
      return before && isForeign(facts, before, ownerOf) ? [{ id: facts.id, domainId }] : []
    })
    return !reporter || foreign.length === 0
      ? new Map<string, StoredServer>()
      : await reporter.findFormer(foreign)
  }

  async function recordOnce(seen: Scan): Promise<Recorded | undefined> {
    const { gone, reporter } = seen
    const stored = await serverWriter.findStored([...seen.present.map(({ id }) => id), ...gone])
    const { created, renamed } = await findRenamed(seen, stored)
    const present = seen.present.filter(({ id }) => !renamed.has(id))
    const scan = { ...seen, present }
    const heldElsewhere = await findHeldElsewhere(scan, stored)
    const news = present
      .filter(({ id }) => !heldElsewhere.has(id))
      .map((facts) => ({ facts, digest: digestOf(facts, reporter) }))
      .filter(({ facts, digest }) => isNews(facts, digest, stored.get(facts.id)))
    const { ended, successors, kept } = await findLost(scan, stored)
    const ownerOf = news.length === 0 ? new Map<string, Owner>() : await owners.byProject()
    const now = timestamp(clock())
    const replaced: { readonly from: string; readonly to: string }[] = []
    const former = await findFormer(news, stored, ownerOf, reporter)
    const writes: ServerWrite[] = news.flatMap(({ facts, digest }) => {
      const before = stored.get(facts.id)
      if (!reporter || !before || !isForeign(facts, before, ownerOf)) {
        return [writeOf(facts, digest, before, ownerOf, now)]
      }
      const returning = former.get(facts.id)
      const id = returning?.id ?? randomUUID()
      replaced.push({ from: facts.id, to: id })
      const replacement = writeOf({ ...facts, id }, digest, returning, ownerOf, now)
      return before.server.deleted ? [replacement] : [endOf(before, now), replacement]
    })
    for (const server of ended) writes.push(endOf(server, now))
    for (const [id, changes] of successors) {
      writes.push(handOver(stored.get(id) as StoredServer, changes, now))
    }
    const sightings = reporter && {
      ...reporter.sightingsOf(scan),
      seenByOthers: [
        ...[...heldElsewhere].map(([serverId, accountId]) => ({ serverId, accountId })),
        ...kept.map(({ id, server }) => ({ serverId: id, accountId: server.account_id })),
        ...[...successors].map(([serverId, { account_id: accountId = '' }]) => ({
          serverId,
          accountId,
        })),
      ],
      created: [...created, ...replaced.map(({ from }) => from)],
      renamed: replaced,
    }
    if (!(await serverWriter.write(writes, [], sightings))) return undefined
    const isCreated = ({ stored: before, server }: ServerWrite) =>
      !isThere(before) && !server.deleted
    return {
      created: writes.filter(isCreated).length,
      changed: writes.filter(isChanged).length,
      gone: ended.length,
    }
  }

  return function recordServers(seen: Scan): Promise<Recorded> {
    const scan = once(seen)
    return retryOnConflict(() => recordOnce(scan))
  }
}
export type RecordServers = ReturnType<typeof createRecordServers>

type Kept = ReadonlyMap<string, StoredServer>

/** Rendering a stored server again does not change it. */
const isChanged = ({ stored, server }: ServerWrite): boolean =>
  isThere(stored) && !server.deleted && stored.server.update_version !== server.update_version

/** The same facts from the same account for the same owner need no write, unless another version rendered them. */
const isNews = (facts: ServerFacts, digest: string, stored: StoredServer | undefined): boolean =>
  !isThere(stored) ||
  stored.newFields !== undefined ||
  stored.factsDigest !== digest ||
  stored.server.project_id !== facts.project_id ||
  stored.server.account_id !== facts.account_id

/** A paged list can contain a server twice. The last report counts, and a reported server is not gone. */
function once({ present, gone, ...rest }: Scan): Scan {
  const last = new Map(present.map((facts) => [facts.id, facts]))
  return {
    ...rest,
    present: [...last.values()],
    gone: [...new Set(gone)].filter((id) => !last.has(id)),
  }
}

/**
 * Whether a server comes from another domain: from another account, or after it was deleted there. What
 * users wrote there, and its history, stay there.
 */
const isForeign = (
  { account_id, project_id }: ServerFacts,
  { server }: StoredServer,
  ownerOf: ReadonlyMap<string, Owner>,
): boolean =>
  (server.deleted || server.account_id !== account_id) &&
  server.domain_id !== ownerOf.get(project_id)?.domainId

/** The facts with the stored values of fields that could not be read. */
function keepUnread(facts: ServerFacts, stored: Server): ServerFacts {
  const { unread = [], notes } = facts
  if (unread.length === 0) return facts
  const { lost_on_stop } = tagsOf(stored.metadata, 'notes')
  const values = unread.map((name) => {
    if (name === 'notes') return [name, { ...(lost_on_stop && { lost_on_stop }), ...notes }]
    // Muster's own protection is added later.
    if (name === 'disable_delete') return [name, isProtectedBy(stored, 'source')]
    return [name, stored[name]]
  })
  return { ...facts, ...(Object.fromEntries(values) as Partial<ServerFacts>) }
}

function writeOf(
  facts: ServerFacts,
  factsDigest: string,
  stored: StoredServer | undefined,
  ownerOf: ReadonlyMap<string, Owner>,
  now: string,
): ServerWrite {
  const owner = ownerOf.get(facts.project_id)
  if (!owner) throw new Error(`server ${facts.id} belongs to a project that does not exist`)
  const reported = buildServer(stored ? keepUnread(facts, stored.server) : facts, {
    domainId: owner.domainId,
    managerDomainId: ownerOf.get(facts.manager_project_id ?? '')?.domainId ?? '',
    ownTags: stored ? tagsOf(stored.server.metadata, 'own') : {},
    createdAt: stored?.server.created_at ?? now,
    updateVersion: stored ? stored.server.update_version + 1 : 0,
    updatedAt: now,
  })
  const server = keepOwnFields(reported, stored?.server, now)
  const same = isThere(stored) && {
    ...server,
    update_version: stored.server.update_version,
    updated_at: facts.updated_at ?? stored.server.updated_at,
  }
  // Such as after a scan that could not read some fields. Only the digest differs then.
  const isUnchanged =
    same &&
    (stored?.newFields
      ? Object.keys(diffServers(stored.server, server, stored.newFields)).length === 0
      : isDeepStrictEqual(same, { ...defaultServer, ...stored?.server }))
  const written = isUnchanged ? same : server
  const { updated_at: sourceTime } = facts
  return {
    stored,
    server: written,
    factsDigest,
    rendered: renderServer(written),
    ...(sourceTime && { sourceTime }),
  }
}

export function endOf(stored: StoredServer, now: string): ServerWrite {
  const server = {
    ...endServer(stored.server, now),
    update_version: stored.server.update_version + 1,
    updated_at: now,
  }
  return { stored, server, factsDigest: '', rendered: renderServer(server) }
}

/** The server under another account. The empty digest makes its next scan write the server again. */
export function handOver(stored: StoredServer, changes: Partial<Server>, now: string): ServerWrite {
  const moved = {
    ...stored.server,
    ...changes,
    update_version: stored.server.update_version + 1,
    updated_at: now,
  }
  const server = changes.status === undefined ? moved : keepTaskStatus(moved, stored.server)
  return { stored, server, factsDigest: '', rendered: renderServer(server) }
}
