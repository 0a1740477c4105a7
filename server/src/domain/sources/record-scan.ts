import { hash } from 'node:crypto'
import { PlatformError } from '../error.ts'
import type { AccountFence, ServerWriter, Sighting } from '../inventory/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import type { Recorded, RecordServers } from '../inventory/record-servers.ts'
import type { ReportingAccount } from '../inventory/reporting-account.ts'
import type { ResourceRecorder } from '../inventory/resource-recorder.ts'
import { isEarlier, type Account } from './account.ts'
import { createResourceCollector, type ResourceCollector } from './collect-resources.ts'
import { limitText } from './limit-facts.ts'
import { compileMapping } from './mapping.ts'
import type { MarkServersUnknown } from './mark-servers-unknown.ts'
import type { AccountStore, KnownSightings, SightingStore } from './ports.ts'
import { referenceOf } from './server-reference.ts'
import type { ReportedServer, ServerReference, SourceKind, UnreadableServer } from './source.ts'
import { createToServerFacts, serverIdOf, type MappedServer } from './to-server-facts.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly sightings: SightingStore
  readonly owners: Owners
  readonly recordServers: RecordServers
  readonly markServersUnknown: MarkServersUnknown
  readonly loadKind: (provider: string) => Promise<Pick<SourceKind, 'isOnOneHost'>>
  readonly serverWriter: Pick<ServerWriter, 'findStored' | 'write'>
  readonly resourceRecorder: ResourceRecorder
}

/** A server whose report differs from the last one. */
export interface ChangedServer extends MappedServer {
  readonly digest: string
  /** Of its report, in characters. */
  readonly size: number
}

/**
 * Records what the source of one account reports. It uses the settings of the account at the time
 * it was opened.
 */
export interface ScanRecorder {
  /** Undefined if nothing changed since the last report, which is undefined for a new server. */
  findChange(
    id: string,
    server: ReportedServer,
    before: Sighting | undefined,
  ): ChangedServer | undefined
  /** Stores servers that changed, and removes those that are gone. */
  record(
    changed: readonly ChangedServer[],
    goneIds: readonly string[],
    known: KnownSightings,
  ): Promise<Recorded>
  /**
   * Sets the status of servers that could not be read to `unknown` and stores the reason. Returns how
   * many servers changed. A server that was never seen before is not created.
   */
  recordUnreadable(servers: readonly UnreadableServer[], known: KnownSightings): Promise<number>
  /** Stores that a complete scan has missed these servers, and sets them to `unknown`. */
  hold(missing: readonly Sighting[]): Promise<number>
  /** Sets the servers of a region that has not answered for long to `unknown`. */
  holdRegion(missing: readonly Sighting[]): Promise<number>
  /**
   * Hands missing servers over to other accounts that still see them. Returns their ids; the others
   * are not changed.
   */
  leave(missing: readonly Sighting[]): Promise<readonly string[]>
  /** How to find stored servers at the source, by id. */
  referencesOf(ids: readonly string[]): Promise<ReadonlyMap<string, ServerReference>>
  collectResources(): ResourceCollector
  /** Stores hosts, networks and the like. Only a complete scan removes some. */
  recordResources(collected: ResourceCollector, isComplete: boolean): Promise<void>
}

/** The report and the settings applied to it. An equal digest of them needs no write. */
const reportOf = (
  server: ReportedServer,
  { name, brand, created_at, project_id }: Account,
): string => JSON.stringify([server.facts, server.tenant, name, brand, created_at, project_id])

const notActive = { activeName: '', activeHost: '' }
const notMissing = { missed: 0, missingSince: 0 }

/** Stored instead of the digest of the facts. The same reason again needs no write. */
const unreadableDigest = (reason: string) => `unreadable ${hash('sha1', reason, 'base64url')}`

export function createOpenScanRecorder(dependencies: Dependencies) {
  const { accounts, sightings, owners, recordServers, markServersUnknown, loadKind, serverWriter } =
    dependencies
  const { resourceRecorder } = dependencies

  /** Servers that stay with another account: it still sees them and was attached before this one. */
  async function findHeldElsewhere(
    account: Account,
    servers: Parameters<ReportingAccount['findHeldElsewhere']>[0],
  ): Promise<ReadonlySet<string>> {
    const [seeing, all] = await Promise.all([
      sightings.accountsSeeing(servers.map(({ id }) => id)),
      accounts.all(),
    ])
    const byId = new Map(all.map((attached) => [attached.account.id, attached.account]))
    const stays = servers.filter(({ id, server }) => {
      const holder = byId.get(server.account_id)
      const stillSees = seeing.get(id)?.includes(server.account_id) === true
      return holder !== undefined && stillSees && isEarlier(holder, account)
    })
    return new Set(stays.map(({ id }) => id))
  }

  async function findSeenElsewhere(account: Account, ids: readonly string[]) {
    const seeing = await sightings.accountsSeeing(ids)
    return new Set(ids.filter((id) => seeing.get(id)?.some((other) => other !== account.id)))
  }

  return async function openScanRecorder(
    account: Account,
    fence: AccountFence,
  ): Promise<ScanRecorder> {
    const projects = await owners.byProject()
    const mapping = compileMapping(account, projects)
    const { isOnOneHost } = await loadKind(account.provider)

    const toServerFacts = createToServerFacts(account)
    const hasProject = projects.has(account.project_id)

    function findChange(
      id: string,
      server: ReportedServer,
      before: Sighting | undefined,
    ): ChangedServer | undefined {
      if (!hasProject) {
        throw new PlatformError(
          'ConflictError',
          'The default project of the account was deleted. Set another project_id.',
        )
      }
      const report = reportOf(server, account)
      const digest = hash('sha1', report, 'base64url')
      const { name, tags = {} } = server.facts
      const mapped = mapping({ name, tags, tenant: server.tenant })
      const isSame =
        before?.digest === digest && before.projectId === mapped.projectId && before.missed === 0
      return isSame ? undefined : { ...mapped, id, digest, size: report.length, server }
    }

    function reportingAccount(changed: readonly ChangedServer[]): ReportingAccount {
      const byId = new Map(changed.map((server) => [server.id, server]))
      return {
        accountId: account.id,
        account: account.name,
        digestOf: (id) => byId.get(id)?.digest ?? '',
        findHeldElsewhere: (servers) => findHeldElsewhere(account, servers),
        findSeenElsewhere: (ids) => findSeenElsewhere(account, ids),
        sightingsOf: ({ present, gone }) => ({
          accountId: account.id,
          fence,
          seen: present.map(({ id, project_id, name, status, host_id = '', host = '' }) => ({
            serverId: id,
            digest: byId.get(id)?.digest ?? '',
            projectId: project_id,
            ...(isOnOneHost && status === 'running'
              ? { activeName: name, activeHost: `${host_id} ${host}` }
              : notActive),
            ...notMissing,
          })),
          lost: gone,
        }),
      }
    }

    return {
      findChange,

      async referencesOf(ids) {
        const stored = await serverWriter.findStored(ids)
        return new Map([...stored].map(([id, { server }]) => [id, referenceOf(server)]))
      },

      collectResources: () => createResourceCollector(account),

      recordResources: (collected, isComplete) =>
        resourceRecorder.record({ id: account.id, fence }, collected.seen(isComplete), isComplete),

      async record(changed, goneIds, known) {
        const gone = goneIds.filter((id) => known.has(id))
        if (changed.length + gone.length === 0) return { created: 0, changed: 0, gone: 0 }
        return await recordServers({
          present: changed.map(toServerFacts),
          gone,
          reporter: reportingAccount(changed),
        })
      },

      async recordUnreadable(servers, known) {
        const marks = servers.flatMap((server) => {
          const sighting = known.get(serverIdOf(server))
          const reason = limitText(server.reason)
          const digest = unreadableDigest(reason)
          if (!sighting || (sighting.digest === digest && sighting.missed === 0)) return []
          const seen = { ...sighting, digest, ...notActive, ...notMissing }
          return [{ sighting: seen, notes: { read_error: reason } }]
        })
        return await markServersUnknown(account, fence, marks)
      },

      hold: (missing) =>
        markServersUnknown(
          account,
          fence,
          missing.map((sighting) => ({ sighting })),
        ),

      holdRegion: (missing) =>
        markServersUnknown(
          account,
          fence,
          missing
            // An empty digest means that this was done before.
            .filter(({ digest }) => digest !== '')
            .map((sighting) => ({ sighting: { ...sighting, digest: '' }, host: 'offline' })),
        ),

      async leave(missing) {
        const seeing = await sightings.accountsSeeing(missing.map(({ serverId }) => serverId))
        const isElsewhere = [...seeing.values()].some((ids) => ids.some((id) => id !== account.id))
        if (!isElsewhere) return []
        const working = new Set(
          (await accounts.all())
            .filter(
              ({ account: other, sync }) =>
                other.enabled && !other.isBeingDeleted && sync.failures === 0,
            )
            .map(({ account: other }) => other.id),
        )
        working.delete(account.id)
        const ids = [...seeing.keys()].filter((id) =>
          seeing.get(id)?.some((other) => working.has(other)),
        )
        if (ids.length === 0) return []
        const changes = { accountId: account.id, fence, seen: [], lost: ids, seenByOthers: ids }
        return (await serverWriter.write([], [], changes)) ? ids : []
      },
    }
  }
}
export type OpenScanRecorder = ReturnType<typeof createOpenScanRecorder>
