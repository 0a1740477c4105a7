import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Condition } from '../../../domain/inventory/condition.ts'
import { comparisons, type Comparison } from '../../../domain/query/condition.ts'
import { onBothEngines } from '../../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../../testing/open-storage.ts'
import { createWhere } from './where.ts'

onBothEngines('conditions on a timestamp that may be NULL', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  const { where } = createWhere({ engine, owners: new Map() })
  const times = [null, 1, 2, 3]

  /** The times that a condition matches. */
  async function match(condition: Condition): Promise<(number | null)[]> {
    const rows = times.map((time) => sql`select cast(${time} as bigint) as expired_at`)
    const { rows: found } = await sql<{ expired_at: string | number | null }>`
      select expired_at from (${sql.join(rows, sql` union all `)}) as servers
      where ${where(condition)} order by coalesce(expired_at, 0)`.execute(storage.database.db)
    return found.map(({ expired_at }) => (expired_at === null ? null : Number(expired_at)))
  }

  const ofText = new Set<Comparison>(['like', 'contains', 'startswith', 'endswith'])
  /** NULL is not equal to any value, and neither greater nor less. */
  const expected: Partial<Record<Comparison, readonly (number | null)[]>> = {
    in: [1, 2],
    notin: [null, 3],
    between: [1, 2],
    ge: [1, 2, 3],
    gt: [2, 3],
    le: [1],
    lt: [],
    equals: [1, 2],
    notequals: [null, 3],
    isnull: [null],
    isnotnull: [1, 2, 3],
    isempty: [],
    isnotempty: [1, 2, 3],
    isnullorempty: [null],
  }
  for (const comparison of comparisons.filter((name) => !ofText.has(name))) {
    test(`${comparison}, and its negation matches all others`, async () => {
      const condition = { kind: 'field', field: 'expired_at', comparison, values: [1, 2] } as const
      const found = await match(condition)
      assert.deepEqual(found, expected[comparison])
      const others = times.filter((time) => !found.includes(time))
      assert.deepEqual(await match({ kind: 'not', condition }), others)
      for (const kind of ['all', 'any'] as const) {
        const nested: Condition = { kind: 'not', condition: { kind, conditions: [condition] } }
        assert.deepEqual(await match(nested), others)
        assert.deepEqual(await match({ kind: 'not', condition: nested }), found)
      }
    })
  }
})
