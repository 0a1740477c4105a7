import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothEngines } from '../../../testing/engines.ts'
import { minimalServer } from '../../../testing/inventory-world/minimal-server.ts'
import { projectAt } from '../../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../../testing/inventory-world/start-inventory-world.ts'
import { serverNumbers, trigramsOf } from './side-table-numbers.ts'

onBothEngines('the servers that the text index lists', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const named = (name: string, external_id: string) =>
      minimalServer(projectAt(fleet, 0).id, { name, external_id })
    const present = [
      named('quux-1', 'i-f00dface'),
      named('quu-uux', 'i-f00d-d0facade'),
      named('qu"ux', 'quu-uux'),
      named('größte', 'quu-quux'),
      named('xquux', 'quux'),
    ]
    await fleet.platform.inventory.recordServers({ present, gone: [] })
  })
  after(() => fleet.platform.close())

  async function found(text: string): Promise<readonly string[]> {
    const { db, run } = fleet.platform.database
    const list = serverNumbers(engine, { kind: 'search', text }).compile(db)
    const [rows = []] = await run([list], 'quick')
    assert.equal(new Set(rows.map(({ server }) => server)).size, rows.length, 'each is listed once')
    const listed = new Set(rows.map(({ server }) => Number(server)))
    const servers = await db
      .selectFrom('servers')
      .select(['seq', 'name' as 'id'])
      .execute()
    return servers
      .filter(({ seq }) => listed.has(seq))
      .map((server) => (server as unknown as { name: string }).name)
      .sort()
  }

  test('contain the whole text, not only its trigrams', async () => {
    assert.deepEqual(await found('quux'), ['größte', 'quux-1', 'xquux'])
    assert.deepEqual(await found('quu'), ['größte', 'qu"ux', 'quu-uux', 'quux-1', 'xquux'])
    assert.deepEqual(await found('00dface'), ['quux-1'])
    assert.deepEqual(await found('1quux'), [])
    assert.deepEqual(await found('QUUX-1'), ['quux-1'])
    assert.deepEqual(await found('quu-uux'), ['qu"ux', 'quu-uux'])
    assert.deepEqual(await found('u"ux'), ['qu"ux'])
    assert.deepEqual(await found('röß'), ['größte'])
  })

  test('have a word that starts with a text of one or two characters', async () => {
    assert.deepEqual(await found('uu'), ['quu-uux'])
    assert.deepEqual(await found('ux'), ['qu"ux'])
    assert.deepEqual(await found('xq'), ['xquux'])
  })
})

test('the trigrams of a pattern cover it, and each of them is in it', () => {
  assert.deepEqual(trigramsOf('web'), ['web'])
  assert.deepEqual(trigramsOf('prod'), ['pro', 'rod'])
  assert.deepEqual(trigramsOf('a😀cdef'), ['a😀c', 'def'])
  assert.deepEqual(trigramsOf('abcdefg'), ['abc', 'def', 'efg'])
})
