import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server, ServerComparison, ServerDiffItem } from '@muster/contract'
import { diffServers } from '../../domain/inventory/history/server-diff.ts'
import { toldChanges } from '../../domain/inventory/history/told-changes.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { assertServerContract } from '../../testing/inventory-world/server-contract.ts'
import { changeFleet } from '../../testing/inventory-world/change-fleet.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane, sampleInputs } from '../../testing/lanes.ts'

interface Diff {
  readonly counts: Record<ServerDiffItem['change'], number>
  readonly items: readonly ServerDiffItem[]
}

interface Expected {
  readonly id: string
  readonly changes?: ServerDiffItem['changes']
}

/** Filters of servers. */
const filters = ['', 'status=running', 'q=provider:Aws -tag:env', 'search=web', 'tags=env']

onEngineOfLane('the difference between two moments', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 40,
      seed: 11,
      // A server that is gone is soon purged, and may come back afterwards with another number.
      flags: ['--deleted-retention=1s'],
    })
  })
  after(() => fleet.platform.close())

  const ask = async ({ token }: InventoryCaller, path: string) => {
    const response = await fetch(fleet.url + path, { headers: { 'x-auth-token': token } })
    const text = await response.text()
    if (response.ok) assertServerContract(path, JSON.parse(text))
    return { status: response.status, text, link: response.headers.get('link') }
  }
  async function read<Body>(caller: InventoryCaller, path: string): Promise<Body> {
    const { status, text } = await ask(caller, path)
    assert.equal(status, 200, `${path} ${text}`)
    return JSON.parse(text) as Body
  }

  /** The servers that a caller sees at a moment, and those of them that match a filter. */
  async function seeAt(caller: InventoryCaller, asOf: string, filter: string) {
    const bin = caller.mayChange ? '&pending_delete=all' : ''
    const page = `/servers?details=true&with_meta=true&limit=2048&scope=max&as_of=${asOf}${bin}`
    const { servers } = await read<{ servers: Server[] }>(caller, page)
    const { servers: found } = await read<{ servers: Server[] }>(caller, `${page}&${filter}`)
    return {
      all: new Map(servers.map((server) => [server.id, server])),
      matching: new Set(found.map(({ id }) => id)),
    }
  }

  /** What the difference must be, from two plain lists. */
  function expectedDiff(
    then: Awaited<ReturnType<typeof seeAt>>,
    now: Awaited<ReturnType<typeof seeAt>>,
    isAdmin: boolean,
  ) {
    const ids = [...new Set([...then.matching, ...now.matching])].toSorted()
    return ids.flatMap((id): (Pick<ServerDiffItem, 'change'> & Expected)[] => {
      const [old, fresh] = [then.all.get(id), now.all.get(id)]
      if (!old) return [{ id, change: 'appeared' as const }]
      if (!fresh) return [{ id, change: 'gone' as const }]
      const changes = toldChanges(diffServers(old, fresh), isAdmin)
      return Object.keys(changes).length === 0 ? [] : [{ id, change: 'changed' as const, changes }]
    })
  }

  test('is that of two lists, for every caller and filter', async () => {
    const draw = createNumbers(3)
    const moments = [timestamp(fleet.tick())]
    for (let step = 0; step < runsInLane(20) + 2; step += 1) {
      await changeFleet(fleet, draw)
      moments.push(timestamp(fleet.tick()))
    }
    const seen = new Set<string>()
    const pairs = [
      [0, moments.length - 1],
      [1, 2],
      [2, moments.length - 2],
    ]
    for (const [turn, [first = 0, second = 0]] of pairs.entries()) {
      const [from = '', to = ''] = [moments[first], moments[second]]
      for (const [at, caller] of fleet.all.entries()) {
        for (const filter of sampleInputs(filters, turn + at)) {
          const path = `/servers/diff?scope=max&limit=2048&from=${from}&to=${to}&${filter}`
          const { counts, items } = await read<Diff>(caller, path)
          const then = await seeAt(caller, from, filter)
          const now = await seeAt(caller, to, filter)
          // Viewers and project owners do not see the operator's security group.
          const isAdmin = caller.name === 'admin' || caller.name === 'auditor'
          const mayAdminister = isAdmin || caller.name === 'domain_admin'
          const expected = expectedDiff(then, now, mayAdminister)
          const found = items.map(({ server_id: id, change, changes }) =>
            change === 'changed' ? { id, change, changes } : { id, change },
          )
          assert.deepEqual(found, expected, `${caller.name} ${path}`)
          for (const change of ['appeared', 'gone', 'changed'] as const) {
            const count = expected.filter((item) => item.change === change).length
            assert.equal(counts[change], count, `${caller.name} ${path}`)
            if (count > 0) seen.add(`${caller.name} ${change}`)
          }
        }
      }
    }
    // Otherwise the fleet changed too little to test anything.
    for (const { name } of fleet.all) assert.ok(seen.has(`${name} changed`), name)
    for (const change of ['appeared', 'gone']) assert.ok(seen.has(`domain_admin ${change}`), change)
  })

  test('has the counts of all pages on each page, which stay at their moments', async () => {
    const { admin } = fleet.callers
    const draw = createNumbers(8)
    const from = timestamp(fleet.tick())
    for (let step = 0; step < 5; step += 1) await changeFleet(fleet, draw)
    fleet.tick()
    const whole = await read<Diff>(admin, `/servers/diff?scope=system&limit=2048&from=${from}`)
    assert.ok(whole.items.length > 6)
    const paged: ServerDiffItem[] = []
    let path = `/servers/diff?scope=system&limit=3&from=${from}`
    for (;;) {
      const { text, link } = await ask(admin, path)
      const { counts, items } = JSON.parse(text) as Diff
      assert.deepEqual(counts, whole.counts)
      assert.match(text, /^\{"from":"[^"]+","to":"[^"]+","counts"/)
      paged.push(...items)
      const next = /<([^>]+)>/.exec(link ?? '')?.[1]
      if (next === undefined) break
      const { pathname, search } = new URL(next)
      path = pathname + search
      // Later changes are not in later pages.
      await fleet.record([fleet.samples.facts()])
    }
    assert.deepEqual(paged, whole.items)
  })

  test('has no server that changed and changed back, and no values of other owners', async () => {
    const { owner, domainAdmin, viewer } = fleet.callers
    const [own, , , foreign] = fleet.projects
    const facts = { ...fleet.samples.facts(), project_id: own?.id ?? '', name: 'there and back' }
    const list = (caller: InventoryCaller, from: string, to: string) =>
      read<Diff>(caller, `/servers/diff?id=${facts.id}&from=${from}&to=${to}`)
    await fleet.record([facts])
    const start = timestamp(fleet.tick())
    await fleet.record([{ ...facts, name: 'secret name', project_id: foreign?.id ?? '' }])
    const away = timestamp(fleet.tick())
    await fleet.record([facts])
    const end = timestamp(fleet.tick())
    for (const caller of [owner, domainAdmin, viewer]) {
      assert.deepEqual((await list(caller, start, end)).items, [], caller.name)
      for (const [from, to, change] of [
        [start, away, 'gone'],
        [away, end, 'appeared'],
      ] as const) {
        const { items } = await list(caller, from, to)
        assert.deepEqual(
          items.map((item) => item.change),
          [change],
          caller.name,
        )
        const text = JSON.stringify(items)
        assert.ok(!text.includes('secret name') && !text.includes(foreign?.id ?? ''), text)
      }
      // The filter matches only versions that the caller sees.
      const path = `/servers/diff?from=${start}&to=${away}&name=secret+name`
      assert.deepEqual((await read<Diff>(caller, path)).items, [], caller.name)
    }
    await fleet.recycle([facts.id], true)
    const recycled = timestamp(fleet.tick())
    const [seen] = (await list(viewer, end, recycled)).items
    assert.equal(seen?.change, 'gone', 'who may not see the recycle bin')
    const [changed] = (await list(owner, end, recycled)).items
    assert.deepEqual(changed?.changes['pending_deleted'], [false, true])
  })

  test('refuses what it cannot answer, and names the parameter', async () => {
    const { admin } = fleet.callers
    const now = timestamp(fleet.tick())
    const forged = (from: number, to: number) =>
      Buffer.from(JSON.stringify([from, to, 'x', 1, 1, 1])).toString('base64url')
    for (const [query, field] of [
      ['', 'from'],
      [`from=${now}&ids=a,b`, 'from'],
      [`from=${now}&to=-30d`, 'from'],
      ['from=1999-01-01', 'from'],
      ['from=2199-01-01', 'from'],
      [`from=soon&to=${now}`, 'from'],
      [`from=${now}&to=2199-01-01`, 'to'],
      [`from=${now}&as_of=${now}`, 'as_of'],
      [`from=${now}&marker=WzFd`, 'marker'],
      [`from=${now}&marker=${forged(Date.parse(now), 2 ** 53 - 1)}`, 'marker'],
      [`from=${now}&marker=${forged(Date.parse(now), Date.parse(now) - 1)}`, 'marker'],
      [`from=${now}&pending_delete=all`, 'pending_delete'],
      ['ids=a', 'ids'],
      ['ids=a,a', 'ids'],
      ['ids=a,b,c&ids=d,e,f', 'ids'],
      [`ids=a,b&to=${now}`, 'to'],
      ['ids=a,b&status=running', 'status'],
    ] as const) {
      const { status, text } = await ask(admin, `/servers/diff?${query}`)
      const { fields } = JSON.parse(text) as { fields?: { path: string }[] }
      assert.deepEqual([status, fields?.[0]?.path], [400, field], `${query} ${text}`)
    }
    const { text } = await ask(admin, '/servers/diff?from=1999-01-01')
    assert.match(text, /before the first recorded change, at 20\d\d-/)
  })

  test('compares servers field by field, those that differ first', async () => {
    const { owner, auditor } = fleet.callers
    const project_id = fleet.projects[0]?.id ?? ''
    const one = { ...fleet.samples.facts(), project_id, name: 'one', tags: { tier: 'front' } }
    const two = { ...one, id: fleet.samples.facts().id, name: 'two', tags: {} }
    await fleet.record([one, two])
    const then = timestamp(fleet.tick())
    await fleet.record([{ ...two, tags: { tier: 'front' } }])
    const compare = (caller: InventoryCaller, query: string) =>
      read<ServerComparison>(caller, `/servers/diff?${query}`)
    const { servers, fields } = await compare(owner, `ids=${one.id},${two.id}&as_of=${then}`)
    assert.deepEqual(servers, [
      { id: one.id, name: 'one' },
      { id: two.id, name: 'two' },
    ])
    const values = new Map(fields.map((each) => [each.field, each]))
    assert.deepEqual(values.get('name'), { field: 'name', values: ['one', 'two'], differs: true })
    assert.deepEqual(values.get('ext:tier'), {
      field: 'ext:tier',
      values: ['front', null],
      differs: true,
    })
    assert.equal(values.get('project_id')?.differs, false)
    const order = fields.map(({ differs }) => differs)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => Number(b) - Number(a)),
    )
    const now = await compare(owner, `ids=${one.id}&ids=${two.id}`)
    assert.equal(now.fields.find(({ field }) => field === 'ext:tier')?.differs, false)
    assert.equal((await ask(owner, `/servers/diff?ids=${one.id},one`)).status, 400)
    for (const [caller, other] of [
      [auditor, two.id],
      [owner, '00000000-0000-4000-8000-000000000000'],
    ] as const) {
      const { status, text } = await ask(
        caller,
        `/servers/diff?scope=project&ids=${one.id},${other}`,
      )
      assert.deepEqual([status, text.includes('Server not found')], [404, true], text)
    }
  })
})
