import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerChange } from '@muster/contract'
import { purgeChanges } from '../../storage/history/purge-changes.ts'
import { changeFleet } from '../../testing/inventory-world/change-fleet.ts'
import { assertServerContract } from '../../testing/inventory-world/server-contract.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane, sampleInputs } from '../../testing/lanes.ts'

interface Page {
  readonly changes: readonly ServerChange[]
  readonly position: string
}

const filters = [
  '',
  'kind=status&kind=gone',
  'changed=user:env',
  'status=running',
  'kind=appeared',
  'new_status=ready',
]

onEngineOfLane('the feed of changes', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 30,
      seed: 21,
      flags: ['--deleted-retention=1s'],
    })
    const draw = createNumbers(4)
    for (let step = 0; step < runsInLane(20) + 2; step += 1) await changeFleet(fleet, draw)
  })
  after(() => fleet.platform.close())

  const ask = async ({ token }: InventoryCaller, query: string) => {
    const path = `/servers/changes?${query}`
    const response = await fetch(fleet.url + path, { headers: { 'x-auth-token': token } })
    const text = await response.text()
    if (response.ok) assertServerContract(path, JSON.parse(text))
    return { status: response.status, text, headers: response.headers }
  }
  async function read(caller: InventoryCaller, query: string): Promise<Page> {
    const { status, text } = await ask(caller, query)
    assert.equal(status, 200, `${query} ${text}`)
    return JSON.parse(text) as Page
  }
  /** All changes after a position. */
  async function follow(caller: InventoryCaller, query: string, start = 'start') {
    const found: ServerChange[] = []
    let after = start
    for (;;) {
      const { changes, position } = await read(caller, `${query}&after=${after}`)
      found.push(...changes)
      if (changes.length === 0) {
        assert.equal((await read(caller, `${query}&after=${position}`)).position, position)
        return { found, position }
      }
      after = position
    }
  }
  const newServer = (project: number) => ({
    ...fleet.samples.facts(),
    project_id: fleet.projects[project]?.id ?? '',
  })

  test('has every change of the list once, in the order of commits', async () => {
    for (const [at, caller] of fleet.all.entries()) {
      for (const filter of sampleInputs(filters, at)) {
        const query = `scope=max&${filter}`
        const { changes } = await read(caller, `${query}&order=asc&limit=2048`)
        for (const limit of [1_000, 7]) {
          const { found } = await follow(caller, `${query}&limit=${limit}`)
          assert.deepEqual(found, changes, `${caller.name} ${query} ${limit}`)
        }
      }
    }
  })

  test('starts now, and answers at once if there is something', async () => {
    const { owner, admin } = fleet.callers
    const start = await read(owner, 'after=now')
    assert.deepEqual(start.changes, [])
    await fleet.record([newServer(0), newServer(3)])
    const { changes } = await read(owner, `after=${start.position}&wait=60`)
    assert.deepEqual(
      changes.map(({ kinds, project_id }) => [kinds.join(), project_id]),
      [['appeared', fleet.projects[0]?.id]],
    )
    const all = await read(admin, `scope=system&after=${start.position}`)
    assert.equal(all.changes.length, 2)
  })

  test('waits for a change in the scope of the caller, and not for others', async () => {
    const { owner, auditor, admin } = fleet.callers
    const { position } = await read(owner, 'after=now')
    const isDone = { owner: false }
    const waiting = read(owner, `after=${position}&wait=60`).then((page) => {
      isDone.owner = true
      return page
    })
    const system = read(admin, `scope=system&after=${position}&wait=60`)
    const short = read(owner, `after=${position}&wait=1`)
    await pause(100)
    await fleet.record([newServer(3)])
    assert.equal((await system).changes.length, 1)
    const empty = await short
    assert.deepEqual(
      empty,
      { changes: [], limit: 20, position },
      'nothing tells that others changed',
    )
    assert.equal(isDone.owner, false)
    await fleet.record([newServer(0)])
    const [change] = (await waiting).changes
    assert.equal(change?.project_id, fleet.projects[0]?.id)
    // A filter that does not match does not end the wait either.
    const later = await read(auditor, 'scope=system&after=now')
    const filtered = read(auditor, `scope=system&after=${later.position}&wait=2&kind=gone`)
    await pause(100)
    await fleet.record([newServer(1)])
    assert.deepEqual((await filtered).changes, [])
  })

  test('lets few requests of a user wait', async () => {
    const { owner, viewer } = fleet.callers
    const { position } = await read(owner, 'after=now')
    const waiting = Array.from({ length: 11 }, () => ask(owner, `after=${position}&wait=60`))
    const refused = await Promise.race(waiting)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5'], refused.text)
    const other = ask(viewer, `after=${position}&wait=60`)
    await fleet.record([newServer(0)])
    assert.equal((await other).status, 200)
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [...Array.from({ length: 10 }, () => 200), 429],
    )
  })

  test('tells nothing to a caller who lost the permission while waiting', async () => {
    const project = fleet.projects[0] ?? assert.fail()
    const caller = await fleet.addCaller('project_viewer', project)
    const { position } = await read(caller, 'after=now')
    const waiting = ask(caller, `after=${position}&wait=60`)
    await pause(100)
    const { db } = fleet.platform.database
    await fleet.platform.database.commitIdentity([
      db.deleteFrom('assignments').where('user_id', '=', caller.userId).compile(),
    ])
    await fleet.record([newServer(0)])
    const { status, text } = await waiting
    assert.ok(status === 401 || status === 403, text)
  })

  test('refuses positions that it cannot continue, and says why', async () => {
    const { admin } = fleet.callers
    const { position } = await read(admin, 'scope=system&after=now')
    for (const [query, field] of [
      ['after=yesterday', 'after'],
      [`after=${position.slice(0, -2)}AA`, 'after'],
      [`after=${position}&since=-2h`, 'since'],
      [`after=${position}&order=asc`, 'order'],
      [`after=${position}&format=csv`, 'format'],
      [`after=${position}&wait=61`, 'wait'],
      ['wait=10', 'wait'],
    ] as const) {
      const { status, text } = await ask(admin, query)
      const { fields } = JSON.parse(text) as { fields?: { path: string }[] }
      assert.deepEqual([status, fields?.[0]?.path], [400, field], `${query} ${text}`)
    }
    const purge = () => purgeChanges(fleet.platform.database, Date.now() + 86_400_000, Date.now())
    await fleet.record([newServer(0)])
    // The newest commit is never purged.
    await purge()
    assert.equal((await read(admin, `scope=system&after=${position}`)).changes.length, 1)
    await fleet.record([newServer(0)])
    await purge()
    const { status, text } = await ask(admin, `scope=system&after=${position}`)
    assert.deepEqual([status, text.includes('older than the stored history')], [400, true], text)
    assert.equal((await read(admin, 'scope=system&after=start')).changes.length, 1)
  })

  test('answers at once when the process stops', { timeout: 30_000 }, async () => {
    const { admin } = fleet.callers
    const { position } = await read(admin, 'scope=system&after=now')
    const waiting = read(admin, `scope=system&after=${position}&wait=60`)
    await pause(100)
    fleet.platform.drain()
    assert.deepEqual((await waiting).changes, [])
  })
})
