import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane, sampleInputs } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { createSharedServer } from '../../testing/inventory-world/shared-servers.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'

const notes = 'secret of the shop'

onEngineOfLane('a server that two accounts report', (engine) => {
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

  /** The first account holds the server, which has notes, and the second one sees it as well. */
  async function share(place: keyof typeof projects) {
    const shared = createSharedServer(storage.database)
    const holder = await shared.attach(projects.near, 100)
    const other = await shared.attach(projects[place], 50)
    await shared.scan(holder, 'seen')
    const id = await shared.currentId()
    await shared.describe(id, notes)
    await shared.scan(other, 'seen')
    const current = async () => (await shared.stored(await shared.currentId()))?.server
    return { ...shared, holder, other, id, current }
  }

  for (const place of ['near2', 'far'] as const) {
    const isSameDomain = place !== 'far'

    test(`goes to an account in ${place} when the holder lost it or is deleted`, async () => {
      for (const isDeleted of [false, true]) {
        const { holder, other, id, current, ...shared } = await share(place)
        assert.equal((await current())?.account_id, holder.id)
        await (isDeleted ? shared.evict(holder) : shared.scan(holder, 'denied'))
        await shared.scan(other, 'seen')
        const server = await current()
        assert.deepEqual([server?.account_id, server?.deleted], [other.id, false])
        assert.equal(server?.description, isSameDomain ? notes : '')
        assert.equal(server?.id === id, isSameDomain)
        assert.equal(
          await shared.binnedBy(server?.id ?? ''),
          isSameDomain ? other.id : undefined,
          'its time in the recycle bin ends at the account that has it',
        )
        const ended = await shared.stored(id)
        assert.equal(ended?.server.deleted, !isSameDomain)
        // A former holder that finds it again does not get it back.
        if (isDeleted) continue
        await shared.scan(holder, 'seen')
        assert.equal((await current())?.account_id, other.id)
      }
    })

    test(`stays when most servers of the holder are missing, and goes to ${place} after the hold`, async () => {
      const { holder, other, current, ...shared } = await share(place)
      for (const _ of [1, 2]) {
        await shared.scan(holder, 'empty')
        await shared.scan(other, 'seen')
        const server = await current()
        assert.deepEqual([server?.account_id, server?.status], [holder.id, 'unknown'])
      }
      shared.wait()
      await shared.scan(holder, 'empty')
      await shared.scan(other, 'seen')
      assert.equal((await current())?.account_id, other.id)
    })

    test(`is claimed by an account in ${place} that reports it, after a dry run`, async () => {
      const shared = createSharedServer(storage.database)
      const holder = await shared.attach(projects.near, 100)
      const other = await shared.attach(projects[place], 150)
      await shared.scan(holder, 'seen')
      const id = await shared.currentId()
      await shared.describe(id, notes)
      const claim = shared.claim(other, [id, newId()])
      const early = await claim({ dry_run: true })
      assert.deepEqual(
        early.items.map(({ outcome }) => outcome),
        ['refused', 'refused'],
      )
      await shared.scan(other, 'seen')
      await assert.rejects(claim({}), { class: 'MissingParameterError' })
      await assert.rejects(claim({ matched: early.matched }), { class: 'ConflictError' })
      const { matched, items } = await claim({ dry_run: true })
      assert.equal(items[0]?.outcome, isSameDomain ? 'move' : 'replace')
      assert.equal((await shared.stored(id))?.server.account_id, holder.id)
      shared.unfinished.set(id, { id: 'a task', action: 'stop' })
      const [busy] = (await claim({ dry_run: true })).items
      assert.deepEqual([busy?.outcome, busy?.class], ['refused', 'ConflictError'])
      await assert.rejects(claim({ matched }), { class: 'ConflictError' })
      shared.unfinished.clear()
      await claim({ matched })
      // Neither the former holder nor the next scan of the new one changes that.
      for (const account of [holder, other, holder, other]) {
        const server = (await shared.stored(await shared.currentId()))?.server
        assert.deepEqual([server?.account_id, server?.deleted], [other.id, false])
        assert.equal(server?.project_id, projects[place])
        assert.equal(server?.description, isSameDomain ? notes : '')
        await shared.scan(account, 'seen')
      }
      assert.equal((await shared.stored(id))?.server.deleted, !isSameDomain)
      // What its own domain wrote returns.
      const claimBack = shared.claim(holder, [await shared.currentId()])
      await claimBack({ matched: (await claimBack({ dry_run: true })).matched })
      for (const account of [other, holder]) {
        const server = (await shared.stored(id))?.server
        assert.deepEqual([server?.account_id, server?.deleted], [holder.id, false])
        assert.deepEqual([server?.description, server?.disable_delete], [notes, true])
        await shared.scan(account, 'seen')
      }
      assert.equal((await shared.stored(id))?.server.status, 'ready')
    })
  }

  const answers = [
    ['denied', 'denied'],
    ['denied', 'seen'],
    ['seen', 'denied'],
  ] as const
  const overtaken = (['near2', 'far'] as const).flatMap((place) =>
    answers.flatMap(([during, first]) =>
      (['none', 'seen', 'denied', 'disabled'] as const).flatMap((third) =>
        (['holder', 'other'] as const).map((later) => ({ place, during, first, third, later })),
      ),
    ),
  )
  for (const { place, during, first, third, later } of sampleInputs(overtaken)) {
    test(`has a holder that sees it, or ends, when the scan of the ${later} (${first}) is overtaken (${during}, ${place}, a third account: ${third})`, async () => {
      const { holder, other, ...shared } = await share(place)
      const others = [{ account: other, answer: later === 'other' ? first : during }]
      if (third !== 'none') {
        const account = await shared.attach(projects[place], 150)
        await shared.scan(account, 'seen')
        if (third === 'disabled') await shared.set(account, { enabled: 0 })
        else others.push({ account, answer: third })
      }
      const [slow, fast] = later === 'holder' ? [holder, other] : [other, holder]
      shared.meanwhile(() => shared.scan(fast, during))
      await shared.scan(slow, first)
      // Each scan repeats what its source said.
      const told = [{ account: holder, answer: later === 'holder' ? first : during }, ...others]
      for (const { account, answer } of [...told, ...told]) {
        await shared.scan(account, answer)
      }
      const seeing = told.filter(({ answer }) => answer === 'seen')
      const holders = (await shared.live()).map(({ account_id }) => account_id)
      assert.equal(holders.length, seeing.length === 0 ? 0 : 1)
      assert.ok(holders.every((id) => seeing.some(({ account }) => account.id === id)))
    })
  }

  test('is not seen by its former id when it is claimed during a scan that misses it', async () => {
    const { holder, other, id, ...shared } = await share('far')
    const claim = shared.claim(other, [id])
    const { matched } = await claim({ dry_run: true })
    shared.meanwhile(async () => void (await claim({ matched })))
    await shared.scan(holder, 'empty')
    assert.notEqual(await shared.currentId(), id)
    assert.equal((await shared.sightings.accountsSeeing([id])).size, 0)
  })

  test('is claimed although the account is changed meanwhile', async () => {
    const { other, id, current, ...shared } = await share('near2')
    let revision = other.revision
    const claim = shared.claim(other, [id], async () => {
      const { db, commit } = storage.database
      if (revision > other.revision) return
      revision += 1
      const change = db.updateTable('cloudaccounts').set({ revision }).where('id', '=', other.id)
      await commit([change.compile()])
    })
    const { matched } = await shared.claim(other, [id])({ dry_run: true })
    await claim({ matched })
    assert.ok(revision > other.revision)
    assert.equal((await current())?.account_id, other.id)
  })

  test('keeps its place when another domain claims it, so that a failed region protects it', async () => {
    const shared = createSharedServer(storage.database)
    const holder = await shared.attach(projects.near, 100)
    const other = await shared.attach(projects.far, 150)
    for (const account of [holder, other]) await shared.scan(account, 'seen')
    const claim = shared.claim(other, [await shared.currentId()])
    await claim({ matched: (await claim({ dry_run: true })).matched })
    const [claimed, ...more] = await shared.live()
    const place = [claimed?.region_ext_id, claimed?.metadata['sys:tenant']]
    assert.deepEqual([...place, more.length], ['here', 'shop', 0])
    for (const _ of [1, 2, 3, 4]) {
      shared.wait()
      await shared.scan(other, 'degraded')
    }
    assert.equal((await shared.live()).length, 1)
    await shared.scan(other, 'denied')
    await shared.scan(holder, 'denied')
    assert.deepEqual(await shared.live(), [])
  })

  test('goes to an account of its domain that fails or is on hold, rather than to another domain', async () => {
    for (const state of ['fails', 'held'] as const) {
      const { holder, other, id, current, ...shared } = await share('near2')
      const foreign = await shared.attach(projects.far, 10)
      await shared.scan(foreign, 'seen')
      await (state === 'fails' ? shared.set(other, { failures: 3 }) : shared.scan(other, 'empty'))
      await shared.scan(holder, 'denied')
      await shared.scan(foreign, 'seen')
      const server = await current()
      assert.deepEqual(
        [server?.id, server?.account_id, server?.status, server?.description],
        [id, other.id, 'unknown', notes],
      )
      await shared.set(other, { failures: 0 })
      await shared.scan(other, 'seen')
      assert.equal((await current())?.status, 'ready')
    }
  })

  test('returns with its notes when the account of another domain that had it is deleted', async () => {
    const { holder, other, id, current, ...shared } = await share('far')
    await shared.scan(holder, 'denied')
    await shared.scan(other, 'seen')
    const between = await current()
    assert.notEqual(between?.id, id)
    await shared.scan(holder, 'seen')
    await shared.evict(other)
    await shared.scan(holder, 'seen')
    const server = await current()
    assert.deepEqual([server?.id, server?.account_id, server?.deleted], [id, holder.id, false])
    assert.deepEqual([server?.description, server?.metadata['user:team']], [notes, notes])
    // A third domain does not get an id of the second one.
    const third = await shared.attach(projects.far, 10)
    await shared.scan(third, 'seen')
    await shared.scan(holder, 'denied')
    await shared.scan(third, 'seen')
    assert.equal((await current())?.id, between?.id, 'the same domain has it again')
    assert.equal((await shared.live()).length, 1)
  })

  test('ends with a deleted holder if the other account is disabled, and returns with it', async () => {
    for (const place of ['near', 'far'] as const) {
      const { holder, other, id, current, ...shared } = await share(place)
      await shared.set(other, { enabled: 0 })
      await shared.evict(holder)
      assert.equal((await shared.stored(id))?.server.deleted, true)
      await shared.set(other, { enabled: 1 })
      await shared.scan(other, 'seen')
      const server = await current()
      assert.deepEqual([server?.deleted, server?.account_id], [false, other.id])
      assert.equal(server?.description, place === 'near' ? notes : '')
      assert.equal(await shared.binnedBy(id), place === 'near' ? other.id : holder.id)
    }
  })

  test('is purged with its sightings, and returns with the account that still reports it', async () => {
    for (const isMeanwhile of [false, true]) {
      const { holder, other, current, serverWriter, ...shared } = await share('near2')
      await shared.set(other, { enabled: 0 })
      await shared.evict(holder)
      const purge = () => serverWriter.purgeDeleted(Date.now() + 1e9)
      // The scan has read the deleted server, and then it is purged.
      if (isMeanwhile) shared.meanwhile(purge)
      else await purge()
      await shared.set(other, { enabled: 1 })
      await shared.scan(other, 'seen')
      const { rows } = await sql`select 1 from sightings
        where not exists (select 1 from servers where seq = server)`.execute(storage.database.db)
      assert.deepEqual(rows, [])
      const server = await current()
      assert.deepEqual([server?.deleted, server?.account_id], [false, other.id])
      assert.deepEqual(await shared.seenBy(), new Set([other.id]))
    }
  })

  test('ends with its account although an earlier version stored no sighting of it', async () => {
    for (const isShared of [false, true]) {
      const { holder, other, current, ...shared } = await share('near2')
      if (!isShared) await shared.scan(other, 'denied')
      const { database } = storage
      const forget = database.db.deleteFrom('sightings').where('account_id', '=', holder.id)
      await database.commit([forget.compile()])
      await shared.evict(holder)
      const server = await current()
      assert.deepEqual(
        [server?.deleted, server?.account_id],
        isShared ? [false, other.id] : [true, holder.id],
      )
    }
  })

  test('ends with the next scan if an earlier version lost the sighting of it', async () => {
    const { holder, current, ...shared } = await share('near2')
    const { db, commit } = storage.database
    const { seq } = (await shared.stored(shared.id)) ?? assert.fail()
    // As migration 0025 adds it.
    const added = { account_id: holder.id, server: seq, digest: '', project_id: projects.near2 }
    const empty = { missed: 0, missing_since: 0, active_name: '', active_host: '' }
    await commit([
      db.deleteFrom('sightings').where('server', '=', seq).compile(),
      db
        .insertInto('sightings')
        .values({ ...added, ...empty })
        .compile(),
    ])
    assert.deepEqual(await shared.seenBy(), new Set([holder.id]))
    await shared.scan(holder, 'denied')
    assert.deepEqual([(await current())?.deleted, await shared.live()], [true, []])
  })

  test('is told in a warning of both accounts for as long as both see it', async () => {
    const { holder, other, evict, scan, findShared } = await share('far')
    assert.deepEqual(await findShared(holder), [{ account: other.name, servers: 1 }])
    assert.deepEqual(await findShared(other), [{ account: holder.name, servers: 1 }])
    const stranger = await createSharedServer(storage.database).attach(projects.near, 1)
    assert.deepEqual(await findShared(stranger), [])
    await scan(other, 'denied')
    assert.deepEqual([await findShared(holder), await findShared(other)], [[], []])
    await scan(other, 'seen')
    await evict(other)
    assert.deepEqual(await findShared(holder), [])
  })
})
