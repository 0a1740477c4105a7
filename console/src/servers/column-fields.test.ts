import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { columnsOfFields, fieldsOfColumns } from './column-fields.ts'
import { columnNames, defaultColumns } from './columns.ts'

describe('the columns of a saved view', () => {
  test('are stored as fields and survive a round trip', () => {
    for (const columns of [defaultColumns, ['name'], ['name', 'tags', 'size', 'disk']] as const) {
      assert.deepEqual(columnsOfFields(fieldsOfColumns(columns)), columns)
    }
    for (const name of columnNames) {
      const columns = name === 'name' ? ['name'] : ['name', name]
      assert.deepEqual(columnsOfFields(fieldsOfColumns(columns as [typeof name])), columns)
    }
  })

  test('are existing fields of servers, without duplicates', () => {
    assert.deepEqual(fieldsOfColumns(['name', 'where', 'provider']), [
      'name',
      'provider',
      'region',
      'zone',
    ])
  })

  test('may contain fields without a column', () => {
    assert.deepEqual(columnsOfFields(['nics', 'vcpu_count', 'ips', 'eip']), [
      'name',
      'vcpu_count',
      'ips',
    ])
    assert.deepEqual(columnsOfFields(['nics']), defaultColumns)
    assert.deepEqual(columnsOfFields([]), defaultColumns)
  })
})
