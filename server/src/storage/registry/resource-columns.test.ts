import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  administeredKinds,
  administeredResources,
  storedFields,
  type AdministeredResource,
} from '@muster/contract'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { columnsOf, tableOf } from './resource-columns.ts'

/** Columns that are no fields of the resource. */
const internal: Readonly<Record<string, readonly string[]>> = {
  users: ['password_hash', 'password_refused_at', 'factors_reset_at', 'factors_reset_by'],
  roles: ['domain_id'],
  policies: ['allows_all', 'forbids'],
  credentials: ['secret'],
  identity_providers: ['secrets'],
}

onEngineOfLane('the tables of administered resources', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ engine })
  })
  after(() => platform.close())

  for (const kind of administeredKinds) {
    test(`${kind} has a column for each stored field of the description, and no other`, async () => {
      const tables = await platform.database.db.introspection.getTables()
      const columns = tables.find(({ name }) => name === tableOf(kind))?.columns ?? []
      assert.deepEqual(
        columns.map(({ name }) => name).toSorted(),
        [...columnsOf(kind), 'name_key', ...(internal[kind] ?? [])].toSorted(),
      )
      for (const [name, { type, default: value }] of storedFields(administeredResources[kind])) {
        const column = columns.find((each) => each.name === name)
        const isNumber = type === 'timestamp' || type === 'number' || type === 'boolean'
        assert.match(column?.dataType.toLowerCase() ?? '', isNumber ? /int/ : /text/, name)
        const isKey = engine === 'sqlite' && name === 'id'
        assert.equal(column?.isNullable, value === null || isKey, `${name} may be null`)
      }
    })

    test(`the visibility of ${kind} refers to columns`, () => {
      const { visibility, uniqueName }: AdministeredResource = administeredResources[kind]
      const { domain, project, user } = visibility
      const named = [domain, project].flatMap((condition) => {
        if (typeof condition === 'string' || 'holders' in condition) return []
        if ('domain' in condition) return [condition.domain]
        return ['project' in condition ? condition.project : condition.field]
      })
      const owners = uniqueName.endsWith('_id') ? [uniqueName] : []
      for (const name of [...named, ...owners, ...(user === undefined ? [] : [user])]) {
        assert.ok(columnsOf(kind).includes(name), name)
      }
    })
  }
})
