import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ServerChange, ServerChangeStatistics } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { changeFleet } from '../../testing/inventory-world/change-fleet.ts'
import { assertServerContract } from '../../testing/inventory-world/server-contract.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane, runsInLane, sampleInputs } from '../../testing/lanes.ts'
import { readCsv } from '../../testing/read-csv.ts'

const filters = [
  '',
  'kind=status&kind=gone',
  'changed=user:env',
  'q=provider:Aws',
  'status=running',
  'new_status=ready&new_status=running',
]

onEngineOfLane('changes of servers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 30,
      seed: 5,
      flags: ['--deleted-retention=1s'],
    })
    const draw = createNumbers(9)
    for (let step = 0; step < runsInLane(20) + 2; step += 1) {
      await changeFleet(fleet, draw)
      // Into another hour, and another day.
      for (let count = 0; count < 2_000; count += 1) fleet.tick()
    }
    for (let count = 0; count < 40_000; count += 1) fleet.tick()
    await changeFleet(fleet, draw)
  })
  after(() => fleet.platform.close())

  const ask = async ({ token }: InventoryCaller, path: string, accept = 'application/json') => {
    const headers = { 'x-auth-token': token, accept }
    const response = await fetch(fleet.url + path, { headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  async function read<Body>(caller: InventoryCaller, path: string): Promise<Body> {
    const { status, text } = await ask(caller, path)
    assert.equal(status, 200, `${path} ${text}`)
    assertServerContract(path, JSON.parse(text))
    return JSON.parse(text) as Body
  }
  const list = async (caller: InventoryCaller, query: string) =>
    (await read<{ changes: ServerChange[] }>(caller, `/servers/changes?limit=2048&${query}`))
      .changes

  test('are exported as they are listed', async () => {
    for (const [at, caller] of fleet.all.entries()) {
      for (const filter of sampleInputs([...filters, 'order=asc'], at)) {
        const query = `scope=max&${filter}`
        const listed = await list(caller, query)
        const ndjson = await ask(caller, `/servers/changes?${query}&format=ndjson`)
        const lines = ndjson.text.split('\n').slice(0, -1)
        assert.deepEqual(
          lines.map((line) => JSON.parse(line) as unknown),
          listed,
          `${caller.name} ${query}`,
        )
        const { text, headers } = await ask(caller, `/servers/changes?${query}`, 'text/csv')
        assert.match(headers.get('content-disposition') ?? '', /changes\.csv/)
        const [head = [], ...rows] = readCsv(text)
        const cells = listed.map((change) =>
          head.map((name) => {
            const value = change[name as keyof ServerChange]
            const cell = typeof value === 'object' ? JSON.stringify(value) : String(value)
            return value === null ? '' : cell
          }),
        )
        const plain = rows.map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@])/, '')))
        assert.deepEqual(plain, cells, `${caller.name} ${query}`)
      }
    }
    const whole = await list(fleet.callers.admin, 'scope=system')
    assert.ok(whole.length > 40)
  })

  test('are counted as they are listed', async () => {
    const zone = 'Asia/Kolkata'
    const offset = 330 * 60_000
    const hourOf = ({ time }: ServerChange) => {
      const local = new Date(Date.parse(time) + offset).toISOString()
      return `${local.slice(0, 13)}:00+05:30`
    }
    const values: Record<string, (change: ServerChange) => readonly string[]> = {
      kind: ({ kinds }) => kinds,
      day: (change) => [hourOf(change).slice(0, 10)],
      hour: (change) => [hourOf(change)],
      project: ({ project_id: id }) => [id],
      account: ({ account_id: id }) => [id],
      field: ({ changes }) => Object.keys(changes),
    }
    const names = Object.keys(values)
    const pairs = names.flatMap((first) => [
      [first],
      [first, names[(names.indexOf(first) + 1) % 6]],
    ])
    let turn = 0
    for (const caller of fleet.all) {
      for (const filter of filters) {
        const listed = await list(caller, `scope=max&${filter}`)
        turn += 1
        for (const groups of sampleInputs(pairs, turn)) {
          const counts = new Map<string, number>()
          for (const change of listed) {
            const [first = '', second] = groups
            for (const value of values[first]?.(change) ?? []) {
              const others = second === undefined ? [[]] : values[second]?.(change).map((v) => [v])
              for (const other of others ?? []) {
                const key = [value, ...other].join(' | ')
                counts.set(key, (counts.get(key) ?? 0) + 1)
              }
            }
          }
          const query = groups.map((group) => `group_by=${group}`).join('&')
          const path = `/servers/changes/statistics?scope=max&time_zone=${zone}&${query}&${filter}`
          const found = await read<ServerChangeStatistics>(caller, path)
          assert.deepEqual([found.total, found.is_complete], [listed.length, true], path)
          assert.deepEqual(
            new Map(
              found.groups.map((group) => [Object.values(group.values).join(' | '), group.count]),
            ),
            counts,
            `${caller.name} ${path}`,
          )
        }
      }
    }
  })

  test('are of the day and the hour of a time zone', async () => {
    const { admin } = fleet.callers
    const path = '/servers/changes/statistics?scope=system&group_by=hour'
    const { groups } = await read<ServerChangeStatistics>(admin, path)
    assert.ok(groups.length > 2)
    for (const { values } of groups) assert.match(values['hour'] ?? '', /^20.{8}T\d\d:00\+00:00$/)
  })

  test('are found by the account before and after', async () => {
    const { admin } = fleet.callers
    const facts = fleet.samples.facts()
    const [former, later] = ['account-before', 'account-after']
    await fleet.record([{ ...facts, account_id: former }])
    await fleet.record([{ ...facts, account_id: later }])
    await fleet.record([{ ...facts, account_id: later, name: 'renamed' }])
    await fleet.record([], [facts.id])
    const kindsOf = async (query: string) =>
      (await list(admin, `scope=system&order=asc&${query}`)).map(({ kinds }) => kinds.join())
    assert.deepEqual(await kindsOf(`account_id=${former}`), ['appeared', 'moved'])
    assert.deepEqual(await kindsOf(`account_id=${later}`), ['moved', 'renamed', 'gone'])
    const both = `account_id=${former}&account_id=${later}`
    assert.deepEqual(await kindsOf(both), ['appeared', 'moved', 'renamed', 'gone'])
    assert.deepEqual(await kindsOf('account_id=never'), [])
  })

  test('are limited by times as as_of takes them', async () => {
    const { admin } = fleet.callers
    const whole = await list(admin, 'scope=system')
    const now = fleet.tick()
    for (const [text, time] of [
      ['-2h', Math.floor((now - 7_200_000) / 60_000) * 60_000],
      ['yesterday', Math.floor((now - 86_400_000) / 60_000) * 60_000],
      [new Date(now).toISOString().slice(0, 10), Math.floor(now / 86_400_000) * 86_400_000],
      [
        `${timestamp(now - 5_400_000 + 7_200_000).slice(0, 19)}%2B02:00`,
        Math.floor((now - 5_400_000) / 1000) * 1000,
      ],
    ] as const) {
      const isSince = ({ time: at }: ServerChange) => Date.parse(at) >= time
      const since = await list(admin, `scope=system&since=${text}`)
      assert.deepEqual(since, whole.filter(isSince), text)
      const until = await list(admin, `scope=system&until=${text}`)
      const others = whole.filter((change) => !isSince(change))
      assert.deepEqual(until, others, text)
      assert.ok(since.length > 0 || others.length > 0)
    }
  })

  test('refuse wrong parameters by their names', async () => {
    const { admin } = fleet.callers
    for (const [path, field] of [
      ['changes?since=soon', 'since'],
      ['changes?until=2026-02-30', 'until'],
      ['changes?marker=abc', 'marker'],
      ['changes/statistics?time_zone=Mars/Olympus', 'time_zone'],
      ['changes/statistics?group_by=status', 'group_by.0'],
      ['changes/statistics?group_by=kind&group_by=kind', 'group_by'],
      ['changes/statistics?group_by=kind&group_by=day&group_by=hour', 'group_by'],
    ] as const) {
      const { status, text } = await ask(admin, `/servers/${path}`)
      const { fields } = JSON.parse(text) as { fields?: { path: string }[] }
      assert.deepEqual([status, fields?.[0]?.path], [400, field], `${path} ${text}`)
    }
  })
})
