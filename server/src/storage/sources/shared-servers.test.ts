import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { sql } from 'kysely'
import { createEvent } from '../../domain/audit/create-event.ts'
import { createCacheMemory } from '../../domain/cache.ts'
import type { Caller } from '../../domain/identity/caller.ts'
import { createChangeServers } from '../../domain/inventory/change-servers.ts'
import { createOwners } from '../../domain/inventory/owners.ts'
import { createRecordServers } from '../../domain/inventory/record-servers.ts'
import { withOwnNotes } from '../../domain/inventory/own-fields.ts'
import { newId } from '../../domain/new-id.ts'
import type { Account } from '../../domain/sources/account.ts'
import { createClaimServers } from '../../domain/sources/claim-servers.ts'
import { createEvictServers } from '../../domain/sources/evict-servers.ts'
import { createMarkServersUnknown } from '../../domain/sources/mark-servers-unknown.ts'
import { createOpenScanRecorder } from '../../domain/sources/record-scan.ts'
import type { ReportedServer } from '../../domain/sources/source.ts'
import { serverIdOf } from '../../domain/sources/to-server-facts.ts'
import { writeServer } from '../../domain/tasks/accept-task.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { makeAccount } from '../../testing/inventory-world/in-memory-sync.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createOwnerDirectory } from '../owners.ts'
import { createServerWriter } from '../servers/server-writer.ts'
import { createAccountStore } from './account-store.ts'
import { createServerKeys, createSightingStore } from './sighting-store.ts'

const noSecrets = { encrypt: (text: string) => text, decrypt: (text: string) => text }

const caller = {
  principal: {
    token: {},
    userStatus: { user: { id: 'admin', name: 'admin', domain: { id: 'default' } } },
    scope: { kind: 'none' },
  },
  origin: { requestId: '', ip: '', isConfidential: true },
} as unknown as Caller

/** What becomes of the holder of a server after another account has reported it, too. */
const states = ['sees it', 'held', 'disabled', 'fails', 'lost it', 'deleted'] as const

onBothEngines('a server that two accounts report', (engine) => {
  let storage: TestStorage
  const projects = { near: '', near2: '', far: '' }
  before(async () => {
    storage = await openStorage(engine)
    const world = createIdentityWorld(storage.database)
    projects.near = await world.addProject('near')
    projects.near2 = await world.addProject('near2')
    projects.far = await world.addProject('far', await world.addDomain('elsewhere'))
  })
  after(() => storage.close())

  async function createWorld() {
    const { database } = storage
    const { db } = database
    const accounts = createAccountStore(database, noSecrets)
    const sightings = createSightingStore(database)
    const serverKeys = createServerKeys(database)
    const serverWriter = createServerWriter(database)
    const owners = createOwners(
      createOwnerDirectory(database),
      { current: () => undefined },
      createCacheMemory(0),
    )
    const clock = Date.now
    const recordServers = createRecordServers({ serverWriter, owners, clock })
    const changeServers = createChangeServers({ serverWriter, clock })
    const openScanRecorder = createOpenScanRecorder({
      accounts,
      sightings,
      serverKeys,
      owners,
      recordServers,
      markServersUnknown: createMarkServersUnknown({ changeServers, sightings, serverWriter }),
      loadKind: async () => ({}),
      serverWriter,
      resourceRecorder: { record: async () => {} },
    })
    const claimServers = createClaimServers({
      accounts,
      sightings,
      finder: {} as never,
      serverWriter,
      owners,
      unfinishedOf: async () => new Map(),
      syncClient: { reconcile: async () => {} },
      reauthorizeCaller: async (one) => one,
      clock,
    })
    const source: ReportedServer = {
      key: ['test', newId()],
      facts: { name: 'guest', status: 'running', external_id: 'vm-1' },
    }

    async function attach(project_id: string, created_at: number): Promise<Account> {
      const id = newId()
      const account = makeAccount({ id, name: id, project_id, created_at })
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
    }
    const openRecorder = ({ id }: Account) =>
      accounts.find(id).then(async (found) => {
        const account = found?.account as Account
        const recorder = await openScanRecorder(account, { revision: account.revision })
        return { account, recorder, known: await sightings.of(id) }
      })
    const currentId = async () => {
      const id = serverIdOf(source)
      const key = (await serverKeys.find([id])).get(id)
      return key === undefined ? id : serverIdOf({ key: [key] })
    }
    const stored = async (id: string) => (await serverWriter.findStored([id])).get(id)
    return {
      attach,
      currentId,
      stored,
      claim: (account: Account, ids: readonly string[]) => async (more: object) =>
        await claimServers(caller, account, { ids: [...ids], ...more }),
      /** A scan that reports the server. */
      async see(account: Account): Promise<void> {
        const { recorder, known } = await openRecorder(account)
        const key = (await serverKeys.find([serverIdOf(source)])).get(serverIdOf(source))
        const reported = key === undefined ? source : { ...source, key: [key] }
        const id = serverIdOf(reported)
        const change = recorder.findChange(id, reported, known.get(id))
        if (change) await recorder.record([change], [], known)
      },
      async lose(account: Account): Promise<void> {
        const { recorder, known } = await openRecorder(account)
        await recorder.record([], [await currentId()], known)
      },
      async hold(account: Account): Promise<void> {
        const { recorder, known } = await openRecorder(account)
        const sighting = known.get(await currentId())
        if (sighting) await recorder.hold([{ ...sighting, missed: 1, missingSince: 1 }])
      },
      async set(account: Account, text: string): Promise<void> {
        const change = sql`update cloudaccounts set ${sql.raw(text)} where id = ${account.id}`
        await database.commit([change.compile(db)])
      },
      async fail(account: Account): Promise<void> {
        const change = sql`update account_syncs set failures = 3 where account_id = ${account.id}`
        await database.commit([change.compile(db)])
      },
      evict: (account: Account) =>
        createEvictServers({ accounts, sightings, openScanRecorder })(account, {
          revision: account.revision,
        }),
      async describe(id: string): Promise<void> {
        const one = await stored(id)
        assert.ok(one)
        const described = {
          ...withOwnNotes(one.server, { described_by: 'muster' }),
          description: 'secret of the shop',
          metadata: { ...one.server.metadata, 'sys:described_by': 'muster', 'user:team': 'shop' },
        }
        assert.ok(await serverWriter.write([writeServer(one, described, Date.now())]))
      },
      async live(): Promise<readonly Server[]> {
        const { rows } = await sql<{ id: string }>`select id from servers where state = 0`.execute(
          db,
        )
        const found = await serverWriter.findStored(rows.map(({ id }) => id))
        return [...found.values()]
          .map(({ server }) => server)
          .filter(({ account_id }) => account_id !== '')
      },
    }
  }

  for (const state of states) {
    for (const place of ['near', 'near2', 'far'] as const) {
      // Who was attached first must not matter.
      for (const otherIsEarlier of place === 'far' ? [false, true] : [place === 'near']) {
        test(`the holder ${state}, the other is ${place}, earlier: ${otherIsEarlier}`, async () => {
          const world = await createWorld()
          const holder = await world.attach(projects.near, 100)
          const other = await world.attach(projects[place], otherIsEarlier ? 50 : 150)
          const isSameDomain = place !== 'far'
          await world.see(holder)
          const id = await world.currentId()
          await world.describe(id)
          await world.see(other)
          assert.equal((await world.stored(id))?.server.account_id, holder.id)

          if (state === 'held') await world.hold(holder)
          if (state === 'disabled') await world.set(holder, 'enabled = 0')
          if (state === 'fails') await world.fail(holder)
          if (state === 'lost it') await world.lose(holder)
          if (state === 'deleted') await world.evict(holder)
          await world.see(other)
          await world.see(other)
          const isTaken = state === 'lost it' || state === 'deleted'
          const current = await world.currentId()
          const server = (await world.stored(current))?.server as Server
          assert.equal(server.account_id, isTaken ? other.id : holder.id)
          assert.equal(server.deleted, false)
          assert.equal(current === id, !isTaken || isSameDomain)
          const hasNotes = !isTaken || isSameDomain
          assert.equal(server.description, hasNotes ? 'secret of the shop' : '')
          assert.equal(server.metadata['user:team'], hasNotes ? 'shop' : undefined)
          if (!hasNotes) {
            const ended = (await world.stored(id))?.server
            assert.deepEqual([ended?.deleted, ended?.status], [true, 'unknown'])
          }
          const mine = (await world.live()).filter(({ account_id }) =>
            [holder.id, other.id].includes(account_id),
          )
          assert.equal(mine.length, 1)
          // A former holder that finds it again does not get it back.
          if (state === 'lost it') {
            await world.see(holder)
            assert.equal((await world.stored(await world.currentId()))?.server.account_id, other.id)
            assert.equal((await world.stored(id))?.server.deleted, !isSameDomain)
          }
        })
      }
    }
  }

  test('ends with a deleted holder if the other account is disabled, and returns with it', async () => {
    for (const place of ['near', 'far'] as const) {
      const world = await createWorld()
      const holder = await world.attach(projects.near, 100)
      const other = await world.attach(projects[place], 150)
      await world.see(holder)
      const id = await world.currentId()
      await world.describe(id)
      await world.see(other)
      await world.set(other, 'enabled = 0')
      await world.evict(holder)
      assert.equal((await world.stored(id))?.server.deleted, true)
      await world.set(other, 'enabled = 1')
      await world.see(other)
      const server = (await world.stored(await world.currentId()))?.server
      assert.deepEqual([server?.deleted, server?.account_id], [false, other.id])
      assert.equal(server?.description, place === 'near' ? 'secret of the shop' : '')
    }
  })

  test('is claimed by an account that reports it, after a dry run', async () => {
    for (const place of ['near', 'near2', 'far'] as const) {
      const world = await createWorld()
      const holder = await world.attach(projects.near, 100)
      const other = await world.attach(projects[place], 150)
      await world.see(holder)
      const id = await world.currentId()
      await world.describe(id)
      const unknown = newId()
      const claim = world.claim(other, [id, unknown])
      const early = await claim({ dry_run: true })
      assert.deepEqual(
        early.items.map(({ outcome }) => outcome),
        ['refused', 'refused'],
      )
      await world.see(other)
      await assert.rejects(claim({}), { class: 'MissingParameterError' })
      await assert.rejects(claim({ matched: early.matched }), { class: 'ConflictError' })
      const { matched, items } = await claim({ dry_run: true })
      assert.equal(items[0]?.outcome, place === 'far' ? 'replace' : 'move')
      assert.equal((await world.stored(id))?.server.account_id, holder.id)
      await claim({ matched })
      // Neither the former holder nor the next scan of the new one changes that.
      for (const account of [holder, other, holder, other]) {
        const server = (await world.stored(await world.currentId()))?.server
        assert.deepEqual([server?.account_id, server?.deleted], [other.id, false])
        assert.equal(server?.project_id, projects[place])
        assert.equal(server?.description, place === 'far' ? '' : 'secret of the shop')
        await world.see(account)
      }
      assert.equal((await world.stored(id))?.server.deleted, place === 'far')
      const server = (await world.stored(await world.currentId()))?.server
      assert.equal(server?.status, 'running')
    }
  })
})
