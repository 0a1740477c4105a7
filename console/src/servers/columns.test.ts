import { servers } from '@muster/contract/resources'
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fieldsOfColumns } from './column-fields.ts'
import { defaultColumns } from './columns.ts'

it('the default columns show the default fields of the API, and the public address', () => {
  const fields = fieldsOfColumns(defaultColumns).filter((field) => field !== 'eip')
  assert.deepEqual(fields, servers.columns)
})
