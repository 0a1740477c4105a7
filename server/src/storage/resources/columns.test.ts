import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inventoryKinds, resourceOf } from '../../domain/inventory/kinds.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { columnNames, columnsOf } from './columns.ts'

onEngineOfLane('the tables of resources', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ engine })
  })
  after(() => platform.close())

  for (const kind of inventoryKinds) {
    // SQLite lets a primary key of one column be null.
    const isKey = resourceOf(kind).visibility.through === 'servers'
    const parent = isKey ? [] : ['server']
    test(`${kind} has a column for each field of the description, and no other`, async () => {
      const tables = await platform.database.db.introspection.getTables()
      const columns = tables.find(({ name }) => name === kind)?.columns ?? []
      assert.deepEqual(
        columns.map(({ name }) => name).toSorted(),
        [...parent, ...columnNames(columnsOf(resourceOf(kind)))].toSorted(),
      )
      const typeOf = { text: 'text', number: /^(int8|bigint)$/, boolean: /^int/ }
      for (const { name, storageClass } of columnsOf(resourceOf(kind))) {
        const type = storageClass === 'timestamp' ? typeOf.number : typeOf[storageClass]
        const column = columns.find((each) => each.name === name)
        assert.match(column?.dataType.toLowerCase() ?? '', new RegExp(type), `${kind}.${name}`)
        assert.equal(
          column?.isNullable,
          storageClass === 'timestamp' || (name === 'id' && engine === 'sqlite' && isKey),
          name,
        )
      }
    })
  }
})
