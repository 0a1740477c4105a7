import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { timestamp } from '../timestamp.ts'
import { buildServer } from './build-server.ts'
import { changesOf, describeServerEvents } from './describe-server-events.ts'
import { tagsOf } from './metadata.ts'
import { endServer, keepOwnFields } from './own-fields.ts'
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

/** Writes the reported servers with their audit events. An unchanged server costs one comparison. */
export function createRecordServers({ serverWriter, owners, clock }: Dependencies) {
  const digestOf = (facts: ServerFacts, reporter: ReportingAccount | undefined) =>
    reporter?.digestOf(facts.id) ?? hash('sha1', JSON.stringify(facts), 'base64url')

  /** What another account saw first stays that account's. */
  async function findHeldElsewhere({ present, reporter }: Scan, stored: Kept) {
    if (!reporter) return new Set<string>()
    const others = present
      .map(({ id }) => stored.get(id))
      .filter(isThere)
      .filter(({ server }) => server.account_id !== reporter.accountId)
    return others.length === 0 ? new Set<string>() : await reporter.findHeldElsewhere(others)
  }

  /** Who is gone for one account may be there for another. */
  async function findEnded(
    { gone, reporter }: Scan,
    stored: Kept,
  ): Promise<readonly StoredServer[]> {
    const there = gone.map((id) => stored.get(id)).filter(isThere)
    if (!reporter || there.length === 0) return there
    const elsewhere = await reporter.findSeenElsewhere(there.map(({ id }) => id))
    return there.filter(({ id }) => !elsewhere.has(id))
  }

  async function recordOnce(scan: Scan): Promise<Recorded | undefined> {
    const { present, gone, reporter } = scan
    const stored = await serverWriter.findStored([...present.map(({ id }) => id), ...gone])
    const heldElsewhere = await findHeldElsewhere(scan, stored)
    const news = present
      .filter(({ id }) => !heldElsewhere.has(id))
      .map((facts) => ({ facts, digest: digestOf(facts, reporter) }))
      .filter(({ facts, digest }) => isNews(facts, digest, stored.get(facts.id)))
    const ended = await findEnded(scan, stored)
    const ownerOf = news.length === 0 ? new Map<string, Owner>() : await owners.byProject()
    const time = clock()
    const now = timestamp(time)
    const writes = [
      ...news.map(({ facts, digest }) =>
        writeOf(facts, digest, stored.get(facts.id), ownerOf, now),
      ),
      ...ended.map((server) => endOf(server, now)),
    ]
    const left = gone.filter((id) => isThere(stored.get(id)) && !ended.some((one) => one.id === id))
    const sightings = reporter && {
      ...reporter.sightingsOf(scan),
      // Whom another account keeps or holds it must still see by then.
      seenByOthers: [...heldElsewhere, ...left],
    }
    const events = describeServerEvents(writes, reporter?.account ?? '', time)
    if (!(await serverWriter.write(writes, events, sightings))) return undefined
    const created = writes.filter(({ stored: before }) => !isThere(before)).length
    return { created, changed: writes.filter(isChanged).length, gone: ended.length }
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

/** A source that goes through pages can name a server twice: what it said last counts, and who is seen is there. */
function once({ present, gone, ...rest }: Scan): Scan {
  const last = new Map(present.map((facts) => [facts.id, facts]))
  return {
    ...rest,
    present: [...last.values()],
    gone: [...new Set(gone)].filter((id) => !last.has(id)),
  }
}

function writeOf(
  facts: ServerFacts,
  factsDigest: string,
  stored: StoredServer | undefined,
  ownerOf: ReadonlyMap<string, Owner>,
  now: string,
): ServerWrite {
  const owner = ownerOf.get(facts.project_id)
  if (!owner) throw new Error(`server ${facts.id} belongs to a project that is not there`)
  // In another domain it returns as a new server.
  const isReturned = stored?.server.deleted && stored.server.domain_id !== owner.domainId
  const before = isReturned ? undefined : stored?.server
  const reported = buildServer(facts, {
    domainId: owner.domainId,
    managerDomainId: ownerOf.get(facts.manager_project_id ?? '')?.domainId ?? '',
    ownTags: before ? tagsOf(before.metadata, 'own') : {},
    createdAt: before?.created_at ?? now,
    updateVersion: stored ? stored.server.update_version + 1 : 0,
    updatedAt: now,
  })
  const server = keepOwnFields(reported, before, now)
  const isOnlyRendered =
    isThere(stored) && stored.newFields && Object.keys(changesOf(stored, server)).length === 0
  const written = isOnlyRendered
    ? {
        ...server,
        update_version: stored.server.update_version,
        updated_at: facts.updated_at ?? stored.server.updated_at,
      }
    : server
  return { stored, server: written, factsDigest, rendered: renderServer(written) }
}

function endOf(stored: StoredServer, now: string): ServerWrite {
  const server = {
    ...endServer(stored.server, now),
    update_version: stored.server.update_version + 1,
    updated_at: now,
  }
  return { stored, server, factsDigest: '', rendered: renderServer(server) }
}
