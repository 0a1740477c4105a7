import { hash } from 'node:crypto'
import type { Server } from '@muster/contract'
import { PlatformError } from '../error.ts'
import type { AccountFence, ServerWriter, Sighting } from '../inventory/ports.ts'
import type { Owners } from '../inventory/owners.ts'
import type { Recorded, RecordServers } from '../inventory/record-servers.ts'
import type { ReportingAccount } from '../inventory/reporting-account.ts'
import type { ResourceRecorder } from '../inventory/resource-recorder.ts'
import type { Account } from './account.ts'
import { createFindFormer } from './find-former.ts'
import { createResourceCollector, type ResourceCollector } from './collect-resources.ts'
import { limitText } from './limit-facts.ts'
import { compileMapping } from './mapping.ts'
import type { MarkServersUnknown } from './mark-servers-unknown.ts'
import { subjectOf } from './move-servers.ts'
import { createOtherAccounts } from './other-accounts.ts'
import type { AccountStore, KnownSightings, ServerKeys, SightingStore } from './ports.ts'
import { referenceOf } from './server-reference.ts'
import type { ReportedServer, ServerReference, SourceKind, UnreadableServer } from './source.ts'
import { createToServerFacts, serverIdOf, type MappedServer } from './to-server-facts.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly sightings: SightingStore
  readonly serverKeys: ServerKeys
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
  /** The length of its report in characters. */
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
    known: Pick<KnownSightings, 'has'>,
  ): Promise<Recorded>
  /**
   * Sets the status of servers that could not be read to `unknown` and stores the reason. Returns how
   * many servers changed. A server that was never seen before is not created.
   */
  recordUnreadable(servers: readonly UnreadableServer[], known: KnownSightings): Promise<number>
  /** Stores these sightings of servers that a complete scan has missed, and sets the servers to `unknown`. */
  hold(missing: readonly Sighting[]): Promise<number>
  /** Sets the servers of a region that has not answered for long to `unknown`. */
  holdRegion(missing: readonly Sighting[]): Promise<number>
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
): string => {
  const { facts, tenant, unread = [] } = server
  return JSON.stringify([facts, tenant, name, brand, created_at, project_id, ...unread])
}

/** What mapping rules match on. */
const reportedSubject = ({ facts: { name, tags = {} }, tenant }: ReportedServer) => ({
  name,
  tags,
  tenant,
})

const hasUnreadSubject = ({ unread = [] }: ReportedServer): boolean =>
  unread.includes('tags') || unread.includes('tenant')

/** The server with the stored tags or tenant that could not be read. */
function keepSubject(server: ReportedServer, before: Server): ReportedServer {
  const { facts, tenant, unread = [] } = server
  const stored = subjectOf(before)
  const isSameTenant = tenant === undefined || tenant.id === stored.tenant?.id
  return {
    ...server,
    ...(unread.includes('tags') && {
      facts: { ...facts, tags: { ...stored.tags, ...facts.tags } },
    }),
    ...(unread.includes('tenant') && isSameTenant && stored.tenant && { tenant: stored.tenant }),
  }
}

const notActive = { activeName: '', activeHost: '' }
const notMissing = { missed: 0, missingSince: 0 }

/** Stored instead of the digest of the facts. The same reason again needs no write. */
const unreadableDigest = (reason: string) => `unreadable ${hash('sha1', reason, 'base64url')}`

export function createOpenScanRecorder(dependencies: Dependencies) {
  const { owners, recordServers, markServersUnknown, loadKind, serverWriter } = dependencies
  const { resourceRecorder, serverKeys } = dependencies
  const findFormer = createFindFormer(dependencies)
  const otherAccounts = createOtherAccounts(dependencies)

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
      const mapped = mapping(reportedSubject(server))
      // Until the stored tags are known, the project is the last one.
      const keepsProject = before && hasUnreadSubject(server) && projects.has(before.projectId)
      const projectId = keepsProject ? before.projectId : mapped.projectId
      const isSame =
        before?.digest === digest && before.projectId === projectId && before.missed === 0
      return isSame ? undefined : { ...mapped, projectId, id, digest, size: report.length, server }
    }

    /** Maps servers by their stored tags or tenant if these could not be read. */
    async function completeUnread(
      changed: readonly ChangedServer[],
    ): Promise<readonly ChangedServer[]> {
      const unread = changed.filter(({ server }) => hasUnreadSubject(server))
      if (unread.length === 0) return changed
      const stored = await serverWriter.findStored(unread.map(({ id }) => id))
      return changed.map((one) => {
        const before = hasUnreadSubject(one.server) ? stored.get(one.id)?.server : undefined
        if (before?.account_id !== account.id) return one
        const server = keepSubject(one.server, before)
        return { ...one, server, ...mapping(reportedSubject(server)) }
      })
    }

    function reportingAccount(changed: readonly ChangedServer[]): ReportingAccount {
      const byId = new Map(changed.map((server) => [server.id, server]))
      return {
        accountId: account.id,
        account: account.name,
        digestOf: (id) => byId.get(id)?.digest ?? '',
        findOthers: (ids) => otherAccounts.find(account, ids),
        findSuccessors: (servers) => otherAccounts.findSuccessors(account, servers),
        findRenamed: async (ids) => new Set((await serverKeys.find(ids)).keys()),
        findFormer,
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
          present: (await completeUnread(changed)).map(toServerFacts),
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

      async holdRegion(missing) {
        const stored = await serverWriter.findStored(missing.map(({ serverId }) => serverId))
        const isMarked = ({ serverId, digest }: Sighting) => {
          const server = stored.get(serverId)?.server
          const isOurs = server?.account_id === account.id
          const isUnknown = server?.status === 'unknown' && server.host_service_status === 'offline'
          return digest === '' && (isUnknown || !isOurs)
        }
        const marks = missing
          .filter((sighting) => !isMarked(sighting))
          .map((sighting) => ({ sighting: { ...sighting, digest: '' }, host: 'offline' as const }))
        return await markServersUnknown(account, fence, marks)
      },
    }
  }
}
export type OpenScanRecorder = ReturnType<typeof createOpenScanRecorder>
