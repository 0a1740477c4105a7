import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ServerStatistics } from '@muster/contract'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { listServers, namesOf, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

onPostgresFirst('a value of an enumerated field', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id } = projectAt(fleet, 0)
    const amazon = { provider: 'Aws', brand: 'Aws', hypervisor: 'aws', billing_type: 'postpaid' }
    await fleet.record([
      minimalServer(id, { name: 'a', ...amazon, status: 'running', os_type: 'Linux' }),
      minimalServer(id, { name: 'b', ...amazon, status: 'ready', os_type: 'linux' }),
      minimalServer(id, {
        name: 'c',
        provider: 'VMware',
        brand: 'VMware',
        hypervisor: 'esxi',
        billing_type: 'prepaid',
        status: 'running',
        os_type: 'Windows',
      }),
    ])
  })
  after(() => fleet.platform.close())

  const named = async (query: string) => {
    const { owner } = fleet.callers
    const page = await listServers(owner, `${query}&order_by=name&order=asc`)
    const { total } = await owner.get<ServerStatistics>('getServerStatistics', { query })
    const { total: alone } = await listServers(owner, `${query}&limit=0`)
    assert.deepEqual(
      [page.total, total.count, alone],
      [page.servers.length, page.total, page.total],
    )
    return namesOf(page).join('')
  }

  test('matches in any case, in every parameter', async () => {
    const table: Record<string, string> = {
      'provider=aws': 'ab',
      'provider=AWS&provider=vmWARE': 'abc',
      'brand=vmware': 'c',
      'hypervisor=AWS': 'ab',
      'billing_type=PostPaid': 'ab',
      'status=Running': 'ac',
      'status=Running&status=READY': 'abc',
      'os_type=LINUX': 'ab',
      'q=provider:aws os:linux': 'ab',
      'q=-provider:aws': 'c',
      'q=-status:RUNNING os:linux': 'b',
      "filter=provider.in('aws')": 'ab',
      "filter=provider.equals('aws')": 'ab',
      "filter=provider.notin('aws')": 'c',
      "filter=provider.notequals('aws')": 'c',
      "filter=status.in('RUNNING')": 'ac',
      "filter=status.notequals('RUNNING')": 'b',
      'provider=aw': '',
    }
    for (const [query, wanted] of Object.entries(table)) {
      assert.equal(await named(query), wanted, query)
    }
  })

  test('free text stays case-sensitive', async () => {
    for (const query of ['name=A', "filter=name.equals('A')", 'q=name:A']) {
      assert.equal(await named(query), '', query)
    }
    assert.equal(await named('name=a'), 'a')
  })
})
