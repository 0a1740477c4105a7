import { hash } from 'node:crypto'
import type { Claim, ClaimRequest, Server } from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { buildServer } from '../inventory/build-server.ts'
import { describeServerEvents } from '../inventory/describe-server-events.ts'
import { createFindMatches } from '../inventory/find-matches.ts'
import type { Owners } from '../inventory/owners.ts'
import type {
  ServerFinder,
  ServerWrite,
  ServerWriter,
  Sighting,
  StoredServer,
} from '../inventory/ports.ts'
import { endOf, handOver } from '../inventory/record-servers.ts'
import { renderServer } from '../inventory/render-server.ts'
import type { Clock } from '../clock.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { timestamp } from '../timestamp.ts'
import type { Account } from './account.ts'
import type { AccountStore, SightingStore } from './ports.ts'
import { heldBy, nextIdOf } from './record-scan.ts'
import type { SyncClient } from './sync-client.ts'

interface Dependencies {
  readonly accounts: Pick<AccountStore, 'find' | 'requestSync'>
  readonly sightings: Pick<SightingStore, 'of'>
  readonly finder: Pick<ServerFinder, 'find' | 'load'>
  readonly serverWriter: Pick<ServerWriter, 'findStored' | 'write'>
  readonly owners: Owners
  /** The unfinished tasks of servers, by server id. */
  readonly unfinishedOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, { id: string }>>
  readonly syncClient: Pick<SyncClient, 'reconcile'>
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly clock: Clock
}

type Item = Claim['items'][number] & {
  readonly stored?: StoredServer
  readonly sighting?: Sighting
}

const hashOf = (accountId: string, items: readonly Item[]): string =>
  hash(
    'sha256',
    // An outcome that has changed is worth another look.
    JSON.stringify([
      accountId,
      ...items.map(({ server_id, outcome }) => `${server_id} ${outcome}`).sort(),
    ]),
    'base64url',
  ).slice(0, 22)

/** Gives servers to an account that reports them, although another account holds them. */
export function createClaimServers(dependencies: Dependencies) {
  const { accounts, sightings, serverWriter, owners, clock } = dependencies
  const findMatches = createFindMatches(dependencies.finder)

  async function findItems(caller: Caller, account: Account, { ids, q = '' }: ClaimRequest) {
    const wanted = [...new Set(ids ?? (await findMatches(caller, q, 'claim', 'max')))]
    const [stored, known, tasks, projects] = await Promise.all([
      serverWriter.findStored(wanted),
      sightings.of(account.id, wanted),
      dependencies.unfinishedOf(wanted),
      owners.byProject(),
    ])
    return wanted.map((server_id): Item => {
      const one = stored.get(server_id)
      const sighting = known.get(server_id)
      const task = tasks.get(server_id)
      const server = one?.server.name ?? ''
      const refuse = (reason: string): Item => ({ server_id, server, outcome: 'refused', reason })
      if (!one || one.server.deleted) return refuse('Server not found.')
      if (one.server.account_id === account.id) {
        return { server_id, server, outcome: 'already', reason: '' }
      }
      if (!sighting || sighting.missed > 0) {
        return refuse(`The cloud account "${account.name}" does not report the server.`)
      }
      if (task) return refuse(`The server has an unfinished task: ${task.id}.`)
      const isSameDomain = projects.get(sighting.projectId)?.domainId === one.server.domain_id
      const outcome = isSameDomain ? 'move' : 'replace'
      return { server_id, server, outcome, reason: '', stored: one, sighting }
    })
  }

  /** Only what names the server: another domain must not see what the old account knew of it. */
  function replacementOf({ server }: StoredServer, holder: Partial<Server>, domainId: string) {
    const now = timestamp(clock())
    const { name, provider, brand, external_id, created_at } = server
    const { project_id = '', account_id = '', ...rest } = holder
    const facts = {
      name,
      provider,
      brand,
      external_id,
      created_at,
      project_id,
      account_id,
      ...rest,
    }
    const replacement = buildServer(
      { ...facts, id: nextIdOf(server.id), status: 'unknown' },
      {
        domainId,
        managerDomainId: domainId,
        ownTags: {},
        createdAt: created_at ?? now,
        updateVersion: 0,
        updatedAt: now,
      },
    )
    return {
      stored: undefined,
      server: replacement,
      factsDigest: '',
      rendered: renderServer(replacement),
    }
  }

  /** Undefined if a server or the account was changed meanwhile. */
  async function claimOnce(
    caller: Caller,
    account: Account,
    request: ClaimRequest,
  ): Promise<Claim | undefined> {
    const items = await findItems(caller, account, request)
    const matched = hashOf(account.id, items)
    const claim: Claim = {
      matched,
      total: items.length,
      items: items.map(({ server_id, server, outcome, reason }) => ({
        server_id,
        server,
        outcome,
        reason,
      })),
    }
    if (request.dry_run === true) return claim
    if (items.length === 0) throw badField('claim.q', 'matches no servers')
    if (request.matched === undefined) {
      throw badField('claim.matched', 'is required. Send a dry run first.', 'MissingParameterError')
    }
    if (request.matched !== matched) {
      throw new PlatformError(
        'ConflictError',
        'The set of servers has changed since the dry run. Run it again and check the result.',
      )
    }
    const now = timestamp(clock())
    const projects = await owners.byProject()
    const claimed = items.flatMap(({ stored, sighting }) =>
      stored && sighting ? [{ stored, sighting }] : [],
    )
    const renamed: { readonly from: string; readonly to: string }[] = []
    const writes = claimed.flatMap(({ stored, sighting }): ServerWrite[] => {
      const holder = heldBy(account, sighting)
      const domainId = projects.get(sighting.projectId)?.domainId ?? ''
      if (domainId === stored.server.domain_id) return [handOver(stored, holder, now)]
      renamed.push({ from: stored.id, to: nextIdOf(stored.id) })
      return [endOf(stored, now), replacementOf(stored, holder, domainId)]
    })
    const event = createAuditEvent(
      caller,
      {
        action: 'claim',
        targetType: 'cloudaccount',
        targetId: account.id,
        targetName: account.name,
        scope: { kind: 'system' },
        changes: { servers: [null, claimed.length] },
      },
      clock,
    )
    const isWritten = await serverWriter.write(
      writes,
      [event, ...describeServerEvents(writes, account.name, clock())],
      {
        accountId: account.id,
        fence: { revision: account.revision },
        // The empty digest makes the next scan write the servers.
        seen: claimed.map(({ sighting }) => ({ ...sighting, digest: '' })),
        lost: [],
        renamed,
      },
    )
    return isWritten ? claim : undefined
  }

  return async function claimServers(
    requester: Caller,
    account: Account,
    request: ClaimRequest,
  ): Promise<Claim> {
    const { ids, q } = request
    if ((ids === undefined) === (q === undefined || q.trim() === '')) {
      throw badField('claim', 'needs exactly one of ids and q')
    }
    const claim = await retryOnConflict(
      async () => claimOnce(await dependencies.reauthorizeCaller(requester), account, request),
      { exhausted: () => conflicted('The set of servers') },
    )
    if (request.dry_run !== true) {
      await accounts.requestSync(account.id)
      void dependencies.syncClient.reconcile(account.id).catch(() => {})
    }
    return claim
  }
}
export type ClaimServers = ReturnType<typeof createClaimServers>
