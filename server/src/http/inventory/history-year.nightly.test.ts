import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { changeFleet } from '../../testing/inventory-world/change-fleet.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const day = 86_400
/** In days. */
const [year, historyRetention] = [365, 200]

const filters = [
  '',
  'status=running',
  'q=status:running,ready -tag:env=v3',
  'q=tag:env=v1',
  'search=a',
  'order_by=name&order=desc',
  'q=vcpu>=4',
]

interface Seen {
  readonly time: number
  readonly caller: InventoryCaller
  readonly query: string
  readonly servers: readonly Server[]
}

onPostgresFirst('a year of history', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, {
      servers: 30,
      seed: 11,
      flags: [`--history-retention=${historyRetention}d`, '--deleted-retention=20d'],
    })
  })
  after(() => fleet.platform.close())

  const ask = async ({ token }: InventoryCaller, path: string) => {
    const response = await fetch(fleet.url + path, { headers: { 'x-auth-token': token } })
    return { status: response.status, text: await response.text() }
  }
  /** What depends on the caller now is left out. */
  function parse(text: string): readonly Server[] {
    const { servers } = JSON.parse(text, (key, value: unknown) =>
      /^(can_|delete_fail|update_fail|sys:synced_at)/.test(key) ? undefined : value,
    ) as { servers: Server[] }
    return servers
  }
  const listed = (query: string) =>
    `/servers?scope=max&details=true&with_meta=true&limit=2048&${query}`

  test('has every list as it was shown, and refuses what is purged', async () => {
    const draw = createNumbers(365)
    const pick = <T>(items: readonly T[]): T => items[draw(items.length - 1)] ?? assert.fail()
    const seen: Seen[] = []
    let now = 0
    for (let passed = 0; passed < year;) {
      const days = 1 + draw(8)
      passed += days
      for (let second = 0; second < days * day - draw(day - 1); second += 1) fleet.tick()
      await changeFleet(fleet, draw)
      now = fleet.tick()
      const caller = pick(fleet.all)
      const query = pick(filters)
      const { status, text } = await ask(caller, listed(query))
      assert.equal(status, 200, text)
      seen.push({ time: now, caller, query, servers: parse(text) })
      if (draw(4) === 0) {
        await fleet.platform.inventory.purgeDeleted()
        await fleet.platform.inventory.purgeChanges()
      }
    }
    await fleet.platform.inventory.purgeChanges()

    const oldest = now - historyRetention * day * 1_000
    let refused = 0
    for (const { time, caller, query, servers } of seen.toReversed()) {
      const { status, text } = await ask(caller, listed(`${query}&as_of=${timestamp(time)}`))
      // The first change that is stored can be some days later.
      if (time < oldest + 10 * day * 1_000 && status === 400) {
        assert.match(text, /as_of is before the first recorded change/)
        refused += 1
        continue
      }
      assert.ok(time >= oldest, `${timestamp(time)} is older than changes are kept`)
      assert.equal(status, 200, text)
      assert.deepEqual(parse(text), servers, `${caller.name} ${query} at ${timestamp(time)}`)
    }
    assert.ok(refused > 5 && refused < seen.length - 5, `${refused} of ${seen.length}`)
  })

  test('now is the same as the list without a moment', async () => {
    const now = timestamp(fleet.tick())
    for (const caller of fleet.all) {
      for (const query of filters) {
        const [plain, then] = [
          await ask(caller, listed(query)),
          await ask(caller, listed(`${query}&as_of=${now}`)),
        ]
        assert.deepEqual(parse(then.text), parse(plain.text), `${caller.name} ${query}`)
      }
    }
  })
})
