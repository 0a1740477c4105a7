import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { timestamp } from '../timestamp.ts'
import { describeServer } from './describe-server.ts'
import { describeServerEvents } from './describe-server-events.ts'
import { tagsOf } from './metadata.ts'
import type { Owners } from './owners.ts'
import type { ServerWriter, StoredServer, Owner, ServerWrite } from './ports.ts'
import { renderServer } from './render-server.ts'
import type { ServerFacts } from './server-facts.ts'
import { retryOnConflict } from '../retry-on-conflict.ts'
import type { Seen, ReportingAccount } from './reporting-account.ts'

export interface Scan extends Seen {
  /** The account that saw it. */
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

const isThere = (kept: StoredServer | undefined): kept is StoredServer =>
  kept !== undefined && !kept.server.deleted

/** Writes down what a source saw, with what became of each server. What has not changed costs a comparison. */
export function createRecordServers({ serverWriter, owners, clock }: Dependencies) {
  const digestOf = (facts: ServerFacts, reporter: ReportingAccount | undefined) =>
    reporter?.digestOf(facts.id) ?? hash('sha1', JSON.stringify(facts), 'base64url')

  /** What another account saw first stays that account's. */
  async function findHeldElsewhere({ present, reporter }: Scan, kept: Kept) {
    if (!reporter) return new Set<string>()
    const others = present
      .map(({ id }) => kept.get(id))
      .filter(isThere)
      .filter(({ server }) => server.account_id !== reporter.accountId)
    return others.length === 0 ? new Set<string>() : await reporter.findHeldElsewhere(others)
  }

  /** Who is gone for one account may be there for another. */
  async function findEnded({ gone, reporter }: Scan, kept: Kept): Promise<readonly StoredServer[]> {
    const there = gone.map((id) => kept.get(id)).filter(isThere)
    if (!reporter || there.length === 0) return there
    const elsewhere = await reporter.findSeenElsewhere(there.map(({ id }) => id))
    return there.filter(({ id }) => !elsewhere.has(id))
  }

  async function recordOnce(scan: Scan): Promise<Recorded | undefined> {
    const { present, gone, reporter } = scan
    const kept = await serverWriter.findStored([...present.map(({ id }) => id), ...gone])
    const heldElsewhere = await findHeldElsewhere(scan, kept)
    const news = present
      .filter(({ id }) => !heldElsewhere.has(id))
      .map((facts) => ({ facts, digest: digestOf(facts, reporter) }))
      .filter(({ facts, digest }) => isNews(facts, digest, kept.get(facts.id)))
    const ended = await findEnded(scan, kept)
    const ownerOf = news.length === 0 ? new Map<string, Owner>() : await owners.byProject()
    const time = clock()
    const now = timestamp(time)
    const writes = [
      ...news.map(({ facts, digest }) => writeOf(facts, digest, kept.get(facts.id), ownerOf, now)),
      ...ended.map((server) => endOf(server, now)),
    ]
    const left = gone.filter((id) => isThere(kept.get(id)) && !ended.some((one) => one.id === id))
    const sightings = reporter && {
      ...reporter.sightingsOf(scan),
      // Whom another account keeps or holds it must still see by then.
      seenByOthers: [...heldElsewhere, ...left],
    }
    const events = describeServerEvents(writes, reporter?.account ?? '', time)
    if (!(await serverWriter.write(writes, events, sightings))) return undefined
    const created = writes.filter(({ kept: before }) => !isThere(before)).length
    return {
      created,
      changed: news.length - created,
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

/** The same words from the same account for the same owner are no news. */
const isNews = (facts: ServerFacts, digest: string, kept: StoredServer | undefined): boolean =>
  !isThere(kept) ||
  kept.factsDigest !== digest ||
  kept.server.project_id !== facts.project_id ||
  kept.server.account_id !== facts.account_id

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
  kept: StoredServer | undefined,
  ownerOf: ReadonlyMap<string, Owner>,
  now: string,
): ServerWrite {
  const owner = ownerOf.get(facts.project_id)
  if (!owner) throw new Error(`server ${facts.id} belongs to a project that is not there`)
  const server = describeServer(facts, {
    domainId: owner.domainId,
    managerDomainId: ownerOf.get(facts.manager_project_id ?? '')?.domainId ?? '',
    ownTags: kept ? tagsOf(kept.server.metadata, 'own') : {},
    createdAt: kept?.server.created_at ?? now,
    updateVersion: kept ? kept.server.update_version + 1 : 0,
    updatedAt: now,
  })
  return { kept, server, factsDigest, rendered: renderServer(server) }
}

/** A server that is no longer there stays as it was last seen, for as long as deleted ones are kept. */
function endOf(kept: StoredServer, now: string): ServerWrite {
  const server = {
    ...kept.server,
    deleted: true,
    deleted_at: now,
    update_version: kept.server.update_version + 1,
    updated_at: now,
  }
  return { kept, server, factsDigest: '', rendered: renderServer(server) }
}
