import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { EventDto, Server, ServerChange } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

const queries = [
  '/servers?scope=max',
  '/servers?scope=max&q=status:running',
  '/servers?scope=max&format=csv',
  '/servers/statistics?scope=max',
  '/sd/prometheus?scope=max',
  '/inventory/hosts?scope=max',
  '/networks?limit=1',
  '/zones?limit=1',
]

onEngineOfLane('gaps at a moment', (engine) => {
  let fleet: InventoryWorld
  let callers: readonly InventoryCaller[]
  /** Accounts by what they have. */
  const accounts = {
    ours: randomUUID(),
    theirs: randomUUID(),
    moving: randomUUID(),
    empty: randomUUID(),
    fine: randomUUID(),
  }
  let ours: string
  let inWest: string
  let moving: string
  let time: number

  const seconds = (at: number) => Math.floor(at / 1_000)

  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const [first, , , fourth] = fleet.projects
    assert.ok(first && fourth)
    callers = [...fleet.all, await fleet.addCaller('project_viewer', fourth)]
    const server = (projectId: string, account_id: string, region_ext_id = '') =>
      minimalServer(projectId, { id: randomUUID(), account_id, region_ext_id })
    const all = [
      server(first.id, accounts.ours),
      server(first.id, accounts.ours, 'west'),
      server(first.id, accounts.moving),
      server(first.id, accounts.fine),
      server(fourth.id, accounts.theirs),
      server(fourth.id, accounts.ours, 'east'),
    ]
    ours = all[0]?.id ?? ''
    inWest = all[1]?.id ?? ''
    moving = all[2]?.id ?? ''
    await fleet.record(all)
    time = fleet.tick()
    for (let count = 0; count < 10; count += 1) fleet.tick()
    const moved = all.find(({ id }) => id === moving) ?? assert.fail()
    await fleet.record([
      { ...moved, project_id: fourth.id },
      { ...(all[0] ?? assert.fail()), name: 'renamed' },
    ])
    fleet.tick()
    const { commit, db } = fleet.platform.database
    const gap = (account_id: string, from: number, until: number, region = '') => ({
      account_id,
      region,
      from,
      until,
    })
    const soon = time + 9_000
    await commit([
      db
        .insertInto('account_gaps')
        .values([
          gap(accounts.ours, time - 500, soon),
          gap(accounts.ours, time - 700, soon, 'west'),
          gap(accounts.ours, time - 600, soon, 'nowhere'),
          gap(accounts.theirs, 0, soon),
          gap(accounts.moving, time - 500, time + 60_000),
          gap(accounts.empty, time - 500, soon),
          gap(accounts.fine, time, soon),
        ])
        .compile(),
    ])
  })
  after(async () => {
    await fleet.platform.close()
  })

  const ask = async ({ token }: InventoryCaller, path: string) => {
    const response = await fetch(fleet.url + path, { headers: { 'x-auth-token': token } })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return { text, gaps: response.headers.get('muster-gaps')?.split(', ').sort() ?? [] }
  }
  const at = (moment: number) => `as_of=${timestamp(moment)}`

  test('are told of the accounts of servers that a caller sees then, whatever they ask', async () => {
    let told = 0
    for (const caller of callers) {
      const list = await ask(caller, `/servers?scope=max&details=true&limit=100&${at(time)}`)
      const { servers } = JSON.parse(list.text) as { servers: Server[] }
      const sees = (id: string, region?: string) =>
        servers.some(
          (server) =>
            server.account_id === id && (region === undefined || server.region_ext_id === region),
        )
      const end = `until=@${Math.ceil((time + 9_000) / 1_000)}`
      const from = (before: number) => `from=@${seconds(time - before)}`
      const expected = [
        ...(sees(accounts.ours) ? [`"${accounts.ours}";${from(500)};${end}`] : []),
        ...(sees(accounts.ours, 'west')
          ? [`"${accounts.ours}";region="west";${from(700)};${end}`]
          : []),
        ...(sees(accounts.theirs) ? [`"${accounts.theirs}";${end}`] : []),
        ...(sees(accounts.moving)
          ? [`"${accounts.moving}";${from(500)};until=@${Math.ceil((time + 60_000) / 1_000)}`]
          : []),
      ].sort()
      told += expected.length
      assert.deepEqual(list.gaps, expected, caller.name)
      for (const path of queries) {
        const { gaps } = await ask(caller, `${path}&${at(time)}`)
        assert.deepEqual(gaps, expected, `${caller.name} ${path}`)
      }
    }
    assert.ok(told > 8)
  })

  test('are told only of the account and the region of a single server', async () => {
    const { admin } = fleet.callers
    for (const [id, regions] of [
      [ours, ['']],
      [inWest, ['', 'west']],
      [moving, ['']],
    ] as const) {
      const { gaps } = await ask(admin, `/servers/${id}?${at(time)}`)
      assert.deepEqual(
        gaps.map((gap) => /region="(.*)"/.exec(gap)?.[1] ?? ''),
        regions,
      )
    }
  })

  test('are not told before, afterwards, and of servers as they are now', async () => {
    const { admin } = fleet.callers
    assert.deepEqual((await ask(admin, '/servers?scope=max')).gaps, [])
    const later = (await ask(admin, `/servers?scope=max&${at(time + 9_000)}`)).gaps
    assert.deepEqual(
      later.map((gap) => gap.slice(1, 37)),
      [accounts.moving],
    )
  })

  test('are told of both moments of a difference, of accounts whose servers a caller sees', async () => {
    const from = timestamp(time)
    for (const caller of callers) {
      const live = (await ask(caller, '/servers?scope=max&details=true&limit=100')).text
      const sees = (id: string) => live.includes(id)
      const accountsOf = async (to: number) => {
        const path = `/servers/diff?scope=max&from=${from}&to=${timestamp(to)}`
        const { gaps } = await ask(caller, path)
        assert.equal(new Set(gaps).size, gaps.length)
        return new Set(gaps.map((gap) => gap.slice(1, 37)))
      }
      const visible = [accounts.ours, accounts.theirs, accounts.moving].filter(sees)
      assert.deepEqual([...(await accountsOf(time + 9_000))].sort(), visible.sort(), caller.name)
    }
    const { admin } = fleet.callers
    // These begin between the two moments.
    const begun = await ask(
      admin,
      `/servers/diff?scope=max&from=${timestamp(time - 1_000)}&to=${from}`,
    )
    for (const id of [accounts.ours, accounts.moving]) assert.ok(begun.gaps.join().includes(id))
    const later = [timestamp(time + 9_000), timestamp(time + 10_000)]
    const { gaps } = await ask(admin, `/servers/diff?scope=max&from=${later[0]}&to=${later[1]}`)
    assert.deepEqual(
      gaps.map((gap) => gap.slice(1, 37)),
      [accounts.moving],
    )
  })

  test('are told of changes that were found after them, in lists and in the history', async () => {
    const { admin } = fleet.callers
    const { changes } = JSON.parse(
      (await ask(admin, '/servers/changes?scope=system&limit=100')).text,
    ) as { changes: ServerChange[] }
    const found = (id: string, kind: ServerChange['kinds'][number]) =>
      changes.find(({ server_id, kinds }) => server_id === id && kinds.includes(kind))
        ?.not_observed_since
    // The server moved within the gap of its account; the other one was renamed after that of its own.
    assert.equal(found(moving, 'moved'), timestamp(time - 500))
    assert.equal(found(ours, 'renamed'), null)
    assert.equal(found(moving, 'appeared'), null)
    const history = JSON.parse(
      (await ask(admin, `/servers/${moving}/history?scope=system`)).text,
    ) as { events: EventDto[] }
    assert.deepEqual(
      history.events.map((event) => event.not_observed_since),
      [timestamp(time - 500), null],
    )
  })
})
