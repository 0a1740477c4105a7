import { hash } from 'node:crypto'
import { PlatformError } from '../error.ts'
import type { Clock } from '../identity/ports.ts'
import { timestamp } from '../timestamp.ts'
import { describeServer } from './describe-server.ts'
import { tagsOf } from './metadata.ts'
import type { Owners } from './owners.ts'
import type { FleetWriter, KeptServer, Owner, ServerWrite } from './ports.ts'
import { renderServer } from './render-server.ts'
import type { ServerFacts } from './server-facts.ts'
import { giveWay } from './give-way.ts'

/** What a source saw: servers as they are, and the ids of those that are no longer there. */
export interface Scan {
  readonly present: readonly ServerFacts[]
  readonly gone: readonly string[]
}

export interface Recorded {
  readonly created: number
  readonly changed: number
  readonly gone: number
}

interface Dependencies {
  readonly fleet: FleetWriter
  readonly owners: Owners
  readonly clock: Clock
}

const tries = 20

/** Writes down what a source saw. What has not changed since it was last seen costs a comparison. */
export function createRecordServers({ fleet, owners, clock }: Dependencies) {
  const factsDigest = (facts: ServerFacts) => hash('sha1', JSON.stringify(facts), 'base64url')

  async function findNews(present: readonly ServerFacts[]) {
    const known = await fleet.factsDigests(present.map(({ id }) => id))
    return present
      .map((facts) => ({ facts, digest: factsDigest(facts) }))
      .filter(({ facts, digest }) => known.get(facts.id) !== digest)
  }

  async function recordOnce({ present, gone }: Scan): Promise<Recorded | undefined> {
    const news = await findNews(present)
    const ids = [...news.map(({ facts }) => facts.id), ...gone]
    if (ids.length === 0) return { created: 0, changed: 0, gone: 0 }
    const kept = await fleet.findKept(ids)
    const ownerOf = await owners.byProject()
    const now = timestamp(clock())
    const writes = news.map(({ facts, digest }) =>
      writeOf(facts, digest, kept.get(facts.id), ownerOf, now),
    )
    const ends = gone
      .map((id) => kept.get(id))
      .filter((server) => server !== undefined && !server.server.deleted)
      .map((server) => endOf(server as KeptServer, now))
    if (!(await fleet.write([...writes, ...ends]))) return undefined
    const created = writes.filter(({ kept: before }) => before === undefined).length
    return { created, changed: writes.length - created, gone: ends.length }
  }

  return async function recordServers(seen: Scan): Promise<Recorded> {
    const scan = once(seen)
    for (let attempt = 0; attempt < tries; attempt += 1) {
      if (attempt > 0) await giveWay(attempt)
      const recorded = await recordOnce(scan)
      if (recorded) return recorded
    }
    throw new PlatformError('ServiceUnavailable', 'The servers are being changed by others.', {
      retryAfter: 1,
    })
  }
}

/** A source that goes through pages can name a server twice: what it said last counts, and who is seen is there. */
function once({ present, gone }: Scan): Scan {
  const last = new Map(present.map((facts) => [facts.id, facts]))
  return {
    present: [...last.values()],
    gone: [...new Set(gone)].filter((id) => !last.has(id)),
  }
}

function writeOf(
  facts: ServerFacts,
  factsDigest: string,
  kept: KeptServer | undefined,
  ownerOf: ReadonlyMap<string, Owner>,
  now: string,
): ServerWrite {
  const owner = ownerOf.get(facts.project_id)
  if (!owner) throw new Error(`server ${facts.id} belongs to a project that is not there`)
  const server = describeServer(facts, {
    domainId: owner.domainId,
    managerDomainId: ownerOf.get(facts.manager_project_id ?? '')?.domainId ?? '',
    ownTags: kept ? tagsOf(kept.server.metadata, 'own') : {},
    updateVersion: kept ? kept.server.update_version + 1 : 0,
    updatedAt: now,
  })
  return { kept, server, factsDigest, rendered: renderServer(server) }
}

/** A server that is no longer there stays as it was last seen, for as long as deleted ones are kept. */
function endOf(kept: KeptServer, now: string): ServerWrite {
  const server = {
    ...kept.server,
    deleted: true,
    deleted_at: now,
    update_version: kept.server.update_version + 1,
    updated_at: now,
  }
  return { kept, server, factsDigest: '', rendered: renderServer(server) }
}
