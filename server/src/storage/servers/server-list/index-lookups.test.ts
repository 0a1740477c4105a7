import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Field } from '../../../domain/inventory/condition.ts'
import { serverFields } from '../../../domain/inventory/fields.ts'
import { comparisons } from '../../../domain/query/condition.ts'
import { createIndexLookups } from './index-lookups.ts'
import { columnOf, isOwnerField } from '../field-columns.ts'
import { filterIndexes } from '../indexes.ts'

test('only equality on a field with an index is an index lookup', () => {
  const paths = createIndexLookups('sqlite', { where: () => sql`1 = 1` } as never)
  for (const field of Object.keys(serverFields.kinds) as Field[]) {
    for (const comparison of comparisons) {
      const found = paths.of({ kind: 'field', field, comparison, values: ['x'] })
      const isEquality = comparison === 'equals' || comparison === 'in'
      const column = isOwnerField(field) ? undefined : columnOf(field)
      const isIndexed = column === 'id' || (column !== undefined && column in filterIndexes)
      assert.equal(found.length, isEquality && isIndexed ? 1 : 0, `${field} ${comparison}`)
    }
  }
})
