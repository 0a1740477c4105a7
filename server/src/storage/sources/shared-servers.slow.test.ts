import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Account } from '../../domain/sources/account.ts'
import type { SourceKinds } from '../../domain/sources/source.ts'
import { decideAction } from '../../domain/tasks/decide-action.ts'
import { createLoadSituations } from '../../domain/tasks/situations.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { onPostgresFirst, sampleInputs } from '../../testing/lanes.ts'
import { createSharedServer, type Answer } from '../../testing/inventory-world/shared-servers.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'

const dimensions = {
  /** Whether the holder sees the server: still, no longer, or never. */
  server: ['seen', 'not seen', 'never'],
  place: ['same domain', 'other domain'],
  holder: ['healthy', 'failing', 'degraded', 'on hold', 'disabled', 'deleted'],
  second: ['healthy', 'failing', 'missed', 'disabled'],
} as const
type Case = { readonly [Name in keyof typeof dimensions]: (typeof dimensions)[Name][number] } & {
  /** Who was attached first must not matter. */
  readonly isSecondEarlier: boolean
}

const cases = Object.entries(dimensions)
  .reduce<object[]>(
    (some, [name, values]) =>
      some.flatMap((one) => [...values].map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
  .map((one, number) => ({ ...one, isSecondEarlier: number % 2 === 0 }) as Case)
  // The state of an account that never saw the server says nothing.
  .filter(({ holder, server }) => server !== 'never' || holder === 'healthy')

const kinds = new Map([
  ['Aws', async () => ({ acting: { actions: ['stop'] } })],
]) as unknown as SourceKinds

onPostgresFirst('a server that several accounts report', (engine) => {
  let storage: TestStorage
  const domainOf = new Map<string, string>()
  const projects = { near: '', near2: '', far: '', third: '' }
  before(async () => {
    storage = await openStorage(engine)
    const world = createIdentityWorld(storage.database)
    const far = await world.addDomain('far')
    const third = await world.addDomain('third')
    projects.near = await world.addProject('near')
    projects.near2 = await world.addProject('near2')
    projects.far = await world.addProject('far', far)
    projects.third = await world.addProject('third', third)
    domainOf.set(projects.near, 'default').set(projects.near2, 'default')
    domainOf.set(projects.far, far).set(projects.third, third)
  })
  after(() => storage.close())

  async function start({ place, isSecondEarlier }: Case) {
    const shared = createSharedServer(storage.database)
    const holder = await shared.attach(projects.near, 100)
    const second = await shared.attach(
      place === 'same domain' ? projects.near2 : projects.far,
      isSecondEarlier ? 50 : 150,
    )
    const third = await shared.attach(projects.third, 10)
    const all = [holder, second, third]
    const domain = ({ project_id }: Account) => domainOf.get(project_id) ?? ''
    const loadSituations = createLoadSituations({
      kinds,
      accounts: shared.accounts,
      sightings: shared.sightings,
      tasks: { unfinishedOf: async () => new Map() },
    })
    /** Accounts that may lose the server: their confirmed scan denies it, or they are deleted. */
    const released = new Set<string>()
    const inactive = new Set<string>()
    const deleted = new Set<string>()
    const described = new Set<string>()
    let last: { readonly account: string; readonly domain: string } | undefined

    async function check(seenBefore: ReadonlySet<string>): Promise<void> {
      const seenBy = await shared.seenBy()
      const live = await shared.live()
      assert.ok(live.length <= 1, 'the server exists once')
      const [server] = live
      for (const account of all.filter(({ id }) => !deleted.has(id))) {
        const expected = all.filter(
          ({ id }) => seenBy.has(account.id) && seenBy.has(id) && id !== account.id,
        )
        const warned = await shared.findShared(account)
        assert.deepEqual(
          new Map(warned.map((one) => [one.account, one.servers])),
          new Map(expected.map(({ name }) => [name, 1])),
        )
      }
      if (!server) return
      const now = { account: server.account_id, domain: server.domain_id }
      if (last && last.account !== now.account) {
        assert.ok(released.has(last.account), 'taken from an account that has it')
        if (last.domain !== now.domain) {
          const rivals = all.filter(
            (one) =>
              domain(one) === last?.domain && seenBefore.has(one.id) && !inactive.has(one.id),
          )
          assert.deepEqual(rivals, [], 'taken from a domain that sees it')
        }
      }
      last = now
      const holding = all.find(({ id }) => id === server.account_id) as Account
      assert.equal(domain(holding), server.domain_id)
      const hasNotes = described.has(server.domain_id)
      assert.equal(server.description, hasNotes ? `notes of ${server.domain_id}` : '')
      assert.equal(
        server.metadata['user:team'],
        hasNotes ? `notes of ${server.domain_id}` : undefined,
      )
      assert.equal(server.disable_delete, hasNotes)
      assert.equal(server.pending_deleted, hasNotes)
      assert.equal(await shared.binnedBy(server.id), hasNotes ? holding.id : undefined)

      const stored = await shared.stored(server.id)
      assert.ok(stored)
      const situation = (await loadSituations([stored])).get(server.id)
      assert.equal(situation?.attached?.account.id, holding.id)
      const decision = decideAction('stop', {}, situation)
      assert.ok(decision.kind === 'refused' && decision.error.status === 409)
      for (const { id, name } of all) {
        assert.equal(decision.error.message.includes(name), id === holding.id)
      }
    }

    async function step(change: () => Promise<unknown>): Promise<void> {
      const seenBefore = await shared.seenBy()
      await change()
      await check(seenBefore)
    }
    const steps = {
      scan: (account: Account, answer: Answer) => {
        if (answer === 'denied') released.add(account.id)
        return step(() => shared.scan(account, answer))
      },
      disable: (account: Account) => {
        inactive.add(account.id)
        return step(() => shared.set(account, { enabled: 0 }))
      },
      fail: (account: Account) => step(() => shared.set(account, { failures: 3 })),
      heal: (account: Account) => {
        inactive.delete(account.id)
        return step(() => shared.set(account, { enabled: 1, failures: 0 }))
      },
      remove: (account: Account) => {
        for (const set of [inactive, deleted, released]) set.add(account.id)
        return step(() => shared.evict(account))
      },
      async describe(): Promise<void> {
        const [server] = await shared.live()
        assert.ok(server)
        described.add(server.domain_id)
        await step(() => shared.describe(server.id, `notes of ${server.domain_id}`))
      },
    }
    const requireLive = async () => assert.equal((await shared.live()).length, 1)
    return { holder, second, third, shared, requireLive, ...steps }
  }

  async function run(given: Case): Promise<void> {
    const world = await start(given)
    const { holder, second, third, scan } = world
    const answer = given.server === 'seen' ? 'seen' : 'denied'
    await scan(holder, given.server === 'never' ? 'denied' : 'seen')
    await scan(second, 'seen')
    await world.describe()
    await scan(third, 'seen')

    if (given.second === 'failing') await world.fail(second)
    if (given.second === 'missed') await scan(second, 'empty')
    if (given.second === 'disabled') await world.disable(second)
    if (given.holder === 'healthy') await scan(holder, answer)
    if (given.holder === 'failing') await world.fail(holder)
    if (given.holder === 'degraded') await scan(holder, 'degraded')
    if (given.holder === 'on hold') await scan(holder, 'empty')
    if (given.holder === 'disabled') await world.disable(holder)
    if (given.holder === 'deleted') await world.remove(holder)

    const isSecondUp = given.second === 'healthy'
    for (let round = 0; round < 2; round += 1) {
      if (isSecondUp) await scan(second, 'seen')
      await scan(third, 'seen')
    }
    await world.requireLive()

    // Everything works again.
    if (given.holder !== 'deleted') {
      await world.heal(holder)
      for (let round = 0; round < 3; round += 1) await scan(holder, answer)
    }
    await world.heal(second)
    for (const account of [second, third, second, third]) await scan(account, 'seen')
    await world.requireLive()

    // What a domain wrote returns with the server.
    await world.remove(third)
    await scan(second, 'seen')
    if (given.holder !== 'deleted') await scan(holder, answer)
    await world.requireLive()

    await world.remove(second)
    if (given.holder !== 'deleted') await world.remove(holder)
    assert.deepEqual(await world.shared.live(), [])
  }

  for (const holder of dimensions.holder) {
    const some = sampleInputs(cases).filter((one) => one.holder === holder)
    test(`stays with its holder by the rules: ${holder}, ${some.length} cases`, async () => {
      for (const one of some) {
        try {
          await run(one)
        } catch (error) {
          throw new Error(JSON.stringify(one), { cause: error })
        }
      }
    })
  }
})
