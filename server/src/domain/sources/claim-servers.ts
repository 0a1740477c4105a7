import { hash } from 'node:crypto'
import type { Claim, ClaimRequest } from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
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
import type { Clock } from '../clock.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { timestamp } from '../timestamp.ts'
import type { Account } from './account.ts'
import { replacementOf } from './claim-replacement.ts'
import { createFindFormer } from './find-former.ts'
import { LeaseLost } from './lease-lost.ts'
import type { AccountStore, ServerKeys, SightingStore } from './ports.ts'
import { heldBy } from './other-accounts.ts'
import type { SyncClient } from './sync-client.ts'

interface Dependencies {
  readonly accounts: Pick<AccountStore, 'requestSync'>
  readonly sightings: Pick<SightingStore, 'of' | 'sharedBy'>
  readonly serverKeys: Pick<ServerKeys, 'findFormer'>
  readonly finder: Pick<ServerFinder, 'find' | 'load'>
  readonly serverWriter: Pick<ServerWriter, 'findStored' | 'write'>
  readonly owners: Owners
  /** The unfinished tasks of servers, by server id. */
  readonly unfinishedOf: (
    ids: readonly string[],
  ) => Promise<ReadonlyMap<string, { readonly id: string; readonly action: string }>>
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
    // A changed outcome changes the digest, so the caller must confirm the new preview.
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
  const findFormer = createFindFormer(dependencies)

  async function findItems(caller: Caller, account: Account, { ids, q = '' }: ClaimRequest) {
    const among = ids ? [] : await sightings.sharedBy(account.id)
    const matches = ids ?? (await findMatches(caller, { q, path: 'claim', scope: 'max', among }))
    const wanted = [...new Set(matches)]
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
      const refuse = (reason: string, why: Pick<Item, 'class' | 'values'>): Item => ({
        server_id,
        server,
        outcome: 'refused',
        reason,
        ...why,
      })
      if (!one || one.server.deleted) {
        return refuse('Server not found.', { class: 'ResourceNotFoundError' })
      }
      if (one.server.account_id === account.id) {
        return { server_id, server, outcome: 'already', reason: '' }
      }
      if (!sighting || sighting.missed > 0) {
        return refuse(`The cloud account "${account.name}" does not report the server.`, {
          class: 'InvalidStatusError',
          values: { account: 'missing', name: account.name },
        })
      }
      if (task) {
        return refuse(
          `The server has an unfinished task: "${task.action}", ${task.id}. Wait for it, or cancel it.`,
          { class: 'ConflictError', values: { task_id: task.id, task_action: task.action } },
        )
      }
      const isSameDomain = projects.get(sighting.projectId)?.domainId === one.server.domain_id
      const outcome = isSameDomain ? 'move' : 'replace'
      return { server_id, server, outcome, reason: '', stored: one, sighting }
    })
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
      items: items.map(({ stored: _stored, sighting: _sighting, ...item }) => item),
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
    const domainOf = ({ projectId }: Sighting) => projects.get(projectId)?.domainId ?? ''
    const former = await findFormer(
      claimed
        .filter(({ stored, sighting }) => domainOf(sighting) !== stored.server.domain_id)
        .map(({ stored, sighting }) => ({ id: stored.id, domainId: domainOf(sighting) })),
    )
    const renamed: { readonly from: string; readonly to: string }[] = []
    const writes = claimed.flatMap(({ stored, sighting }): ServerWrite[] => {
      const holder = heldBy(account, sighting)
      const domainId = domainOf(sighting)
      if (domainId === stored.server.domain_id) return [handOver(stored, holder, now)]
      const replacement = replacementOf(stored, holder, {
        domainId,
        former: former.get(stored.id),
        now,
      })
      renamed.push({ from: stored.id, to: replacement.server.id })
      return [endOf(stored, now), replacement]
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
    const isWritten = await serverWriter
      .write(writes, [event], {
        accountId: account.id,
        fence: { revision: account.revision },
        // The empty digest makes the next scan write the servers.
        seen: claimed.map(({ sighting }) => ({ ...sighting, digest: '' })),
        lost: [],
        renamed,
      })
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) return false
        throw error
      })
    if (!isWritten) return undefined
    await accounts.requestSync(account.id)
    void dependencies.syncClient.reconcile(account.id).catch(() => {})
    return claim
  }

  return async function claimServers(
    requester: Caller,
    /** Called again after a conflict, because the account may have been changed. */
    findAccount: () => Promise<Account>,
    request: ClaimRequest,
  ): Promise<Claim> {
    const { ids, q } = request
    if ((ids === undefined) === (q === undefined || q.trim() === '')) {
      throw badField('claim', 'needs exactly one of ids and q')
    }
    return await retryOnConflict(
      async () => {
        const caller = await dependencies.reauthorizeCaller(requester)
        return await claimOnce(caller, await findAccount(), request)
      },
      { exhausted: () => conflicted('The set of servers') },
    )
  }
}
export type ClaimServers = ReturnType<typeof createClaimServers>
