import assert from 'node:assert/strict'
import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import { createEvent } from '../../domain/audit/create-event.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { createCacheMemory } from '../../domain/cache.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import { createChangeServers } from '../../domain/inventory/change-servers.ts'
import type { ServerWriter } from '../../domain/inventory/ports.ts'
import { createOwners } from '../../domain/inventory/owners.ts'
import { withOwnNotes, withProtection } from '../../domain/inventory/own-fields.ts'
import { createRecordServers } from '../../domain/inventory/record-servers.ts'
import { newId } from '../../domain/new-id.ts'
import type { Account } from '../../domain/sources/account.ts'
import { createClaimServers } from '../../domain/sources/claim-servers.ts'
import { withCurrentKeys } from '../../domain/sources/current-keys.ts'
import { createEvictServers } from '../../domain/sources/evict-servers.ts'
import { createFindShared } from '../../domain/sources/find-shared.ts'
import { createMarkServersUnknown } from '../../domain/sources/mark-servers-unknown.ts'
import type { OpenSource } from '../../domain/sources/open-source.ts'
import { createOpenScanRecorder } from '../../domain/sources/record-scan.ts'
import { scanAccount } from '../../domain/sources/scan-account.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, ScanPage } from '../../domain/sources/source.ts'
import { serverIdOf } from '../../domain/sources/to-server-facts.ts'
import { writeServer } from '../../domain/tasks/accept-task.ts'
import type { Database } from '../../storage/database.ts'
import { createOwnerDirectory } from '../../storage/owners.ts'
import { createServerWriter } from '../../storage/servers/server-writer.ts'
import { createAccountStore } from '../../storage/sources/account-store.ts'
import { createServerKeys, createSightingStore } from '../../storage/sources/sighting-store.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { makeAccount } from './in-memory-sync.ts'

const noSecrets = { encrypt: (text: string) => text, decrypt: (text: string) => text }
const hold = 900_000

const caller = {
  principal: {
    token: {},
    userStatus: { user: { id: 'admin', name: 'admin', domain: { id: 'default' } } },
    scope: { kind: 'none' },
  },
  origin: { requestId: '', ip: '', isConfidential: true },
} as unknown as Caller

/** What the source of an account answers to a scan. */
export type Answer =
  /** The shared server and others. */
  | 'seen'
  /** Only the others; the source denies the shared one. */
  | 'denied'
  /** Nothing at all; the source denies everything. */
  | 'empty'
  /** The region of the shared server fails. */
  | 'degraded'

/** Several accounts that can report one server, in a database. */
export function createSharedServer(database: Database) {
  const { db } = database
  const accounts = createAccountStore(database, noSecrets)
  // So few rows that every account is read in parts.
  const sightings = createSightingStore(database, 2)
  const serverKeys = createServerKeys(database)
  const writer = createServerWriter(database, Date.now)
  /** What happens between the reads of the next scan and its commit. */
  let beforeWrite: (() => Promise<void>) | undefined
  const serverWriter: ServerWriter = {
    ...writer,
    async write(...changes) {
      const meanwhile = beforeWrite
      beforeWrite = undefined
      await meanwhile?.()
      return await writer.write(...changes)
    },
  }
  const owners = createOwners(
    createOwnerDirectory(database),
    { current: () => undefined },
    createCacheMemory(0),
  )
  let now = Date.now()
  const clock = () => now
  const changeServers = createChangeServers({ serverWriter, clock })
  const openScanRecorder = createOpenScanRecorder({
    accounts,
    sightings,
    serverKeys,
    owners,
    recordServers: createRecordServers({ serverWriter, owners, clock }),
    markServersUnknown: createMarkServersUnknown({ changeServers, sightings, serverWriter }),
    loadKind: async () => ({}),
    serverWriter,
    resourceRecorder: { record: async () => {} },
  })
  /** The unfinished tasks of servers. */
  const unfinished = new Map<string, { readonly id: string; readonly action: string }>()
  const claimServers = createClaimServers({
    accounts,
    sightings,
    serverKeys,
    finder: {} as never,
    serverWriter,
    owners,
    unfinishedOf: async () => unfinished,
    syncClient: { reconcile: async () => {} },
    reauthorizeCaller: async (one) => one,
    clock,
  })
  const tenant = { id: 'shop', name: 'Shop' }
  const shared: ReportedServer = {
    key: ['test', newId()],
    tenant,
    facts: { name: 'shared', status: 'ready', external_id: 'vm-1', region_ext_id: 'here' },
  }
  const sourceId = serverIdOf(shared)
  /** Others of an account, so that one missing server is not most of its region. */
  const others = ({ id }: Account): readonly ReportedServer[] =>
    ['here', 'here', 'there'].map((region_ext_id, number) => ({
      key: ['test', id, String(number)],
      tenant,
      facts: { name: `other ${number}`, status: 'running', external_id: '', region_ext_id },
    }))

  function pageOf(account: Account, answer: Answer): ScanPage {
    const present = {
      seen: [shared, ...others(account)],
      denied: others(account),
      empty: [],
      degraded: others(account).slice(2),
    }[answer]
    const error = new SourceError('unreachable', 'It does not answer.')
    const failed = answer === 'degraded' ? [{ region: 'here', error }] : []
    return { present, gone: [], failed, tenants: [tenant.id] }
  }

  async function scan({ id }: Account, answer: Answer): Promise<void> {
    const account = (await accounts.find(id))?.account as Account
    const { openAccount } = withCurrentKeys(
      {
        openAccount: async () => ({
          title: 'test',
          async *scan() {
            yield pageOf(account, answer)
          },
          get: async () => undefined,
          close: async () => {},
        }),
      } as Pick<OpenSource, 'openAccount'> as OpenSource,
      serverKeys,
    )
    const signal = AbortSignal.timeout(60_000)
    await scanAccount({
      source: await openAccount(account, signal),
      recorder: await openScanRecorder(account, { revision: account.revision }),
      known: await sightings.of(id),
      writePermits: createBoundedQueue({ name: 'batches', capacity: 3 }),
      signal,
      isSuperseded: () => false,
      onProgress: () => {},
      locationsOf: sightings.locationsOf,
      hold,
      clock,
      confirmedUntil: 0,
      isAfterFailure: false,
      isSilent: () => false,
    })
    now += 1_000
  }

  const currentId = async () => (await serverKeys.find([sourceId])).get(sourceId) ?? sourceId
  const stored = async (id: string) => (await serverWriter.findStored([id])).get(id)

  return {
    accounts,
    sightings,
    serverWriter,
    findShared: createFindShared({ accounts, sightings }),
    unfinished,
    currentId,
    stored,
    scan,
    /** Runs the scan while another one has read and not yet written. */
    meanwhile: (action: () => Promise<void>) => void (beforeWrite = action),
    /** Time passes, so that a hold can end. */
    wait: () => void (now += hold),

    async attach(project_id: string, created_at: number, name = newId()): Promise<Account> {
      const id = newId()
      const account = makeAccount({ id, name, project_id, created_at })
      const event = createEvent({
        user: undefined,
        origin: caller.origin,
        action: {
          action: 'create',
          targetType: 'cloudaccount',
          targetId: id,
          targetName: id,
          scope: { kind: 'system' },
        },
        result: 'success',
        time: created_at,
      })
      assert.ok(await accounts.insert(account, {}, event))
      return account
    },

    claim:
      ({ id }: Account, ids: readonly string[], meanwhile = async () => {}) =>
      (more: object) => {
        const findAccount = async () => {
          const account = (await accounts.find(id))?.account as Account
          await meanwhile()
          return account
        }
        return claimServers(caller, findAccount, { ids: [...ids], ...more })
      },

    async set(account: Account, changes: { enabled?: 0 | 1; failures?: number }): Promise<void> {
      const { enabled, failures } = changes
      await database.commit([
        ...(enabled === undefined
          ? []
          : [
              db
                .updateTable('cloudaccounts')
                .set({ enabled })
                .where('id', '=', account.id)
                .compile(),
            ]),
        ...(failures === undefined
          ? []
          : [
              db
                .updateTable('account_syncs')
                .set({ failures })
                .where('account_id', '=', account.id)
                .compile(),
            ]),
      ])
    },

    async evict({ id }: Account): Promise<void> {
      const account = (await accounts.find(id))?.account as Account
      const evictServers = createEvictServers({ accounts, sightings, openScanRecorder })
      await evictServers(account, { revision: account.revision })
    },

    /** Users of its domain describe, tag and protect the server, and put it into the recycle bin. */
    async describe(id: string, text: string): Promise<void> {
      const one = await stored(id)
      assert.ok(one)
      const binned = { auto_delete_at: now + 1e9, delete_disks: 0, delete_snapshots: 0 }
      const described = {
        ...withProtection(withOwnNotes(one.server, { described_by: 'muster' }), {
          muster: true,
          source: false,
        }),
        description: text,
        pending_deleted: true,
        pending_deleted_at: timestamp(now),
        auto_delete_at: timestamp(binned.auto_delete_at),
      }
      const metadata = { ...described.metadata, 'user:team': text }
      assert.ok(await serverWriter.write([writeServer(one, { ...described, metadata }, now)]))
      const { account_id } = one.server
      await database.commit([
        db
          .insertInto('recycle_bin')
          .values({ server_id: id, account_id, ...binned })
          .compile(),
      ])
    },

    async binnedBy(id: string): Promise<string | undefined> {
      const found = db.selectFrom('recycle_bin').select('account_id').where('server_id', '=', id)
      return (await found.executeTakeFirst())?.account_id
    },

    /** All servers in use that are this one, under any id. */
    async live(): Promise<readonly Server[]> {
      const former = await serverKeys.findFormer([await currentId()])
      const ids = [...new Set([...former.keys(), await currentId(), sourceId])]
      const { rows } = await sql<{ id: string }>`select id from servers
        where state < 2 and id in (${sql.join(ids)})`.execute(db)
      const found = await serverWriter.findStored(rows.map(({ id }) => id))
      return [...found.values()].map(({ server }) => server)
    },

    /** The ids of the accounts that see the server. */
    async seenBy(): Promise<ReadonlySet<string>> {
      const id = await currentId()
      const found = (await sightings.accountsSeeing([id])).get(id) ?? []
      return new Set(found.map(({ accountId }) => accountId))
    },
  }
}
