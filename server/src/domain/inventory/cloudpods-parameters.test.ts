import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cloudpodsFilters, cloudpodsPaging, type CloudpodsParameter } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { isField, serverFields } from './fields.ts'
import { readCloudpodsParameters } from './cloudpods-parameters.ts'
import { parseFilter } from '../query/parse-filter.ts'
import { readServerQuery } from './server-list/read-server-query.ts'

const table: [string, CloudpodsParameter][] = Object.entries({
  ...cloudpodsFilters,
  ...cloudpodsPaging,
})

describe("Cloudpods' parameters", () => {
  for (const [name, meaning] of table) {
    test(`${name} does what its line says`, () => {
      switch (meaning.means) {
        case 'filter':
          for (const text of [meaning.true, meaning.false])
            if (text) parseFilter(serverFields, text)
          assert.ok(meaning.true ?? meaning.false)
          return
        case 'order':
          assert.ok(isField(meaning.by))
          return
        case 'refused': {
          const refuses = (value: unknown) =>
            assert.throws(
              () => readServerQuery({ [name]: value }),
              (error) => error instanceof PlatformError && error.fields?.[0]?.path === name,
            )
          refuses(meaning.takes === 'flag' ? true : ['x'])
          const harmless = meaning.takes === 'flag' ? false : ['']
          assert.deepEqual(readServerQuery({ [name]: harmless }), readServerQuery({}))
          return
        }
        case 'nothing':
          assert.deepEqual(readServerQuery({ [name]: true }), readServerQuery({}))
          return
        case 'setting':
          assert.notDeepEqual(readServerQuery({ [name]: true }), readServerQuery({}))
          assert.deepEqual(readServerQuery({ [name]: false }), readServerQuery({}))
          return
        case 'same':
          assert.deepEqual(readCloudpodsParameters({ [name]: ['x'] }).same, [
            { as: meaning.as, from: name, texts: ['x'] },
          ])
          assert.deepEqual(readCloudpodsParameters({ [name]: [''] }).same, [])
      }
    })
  }

  test('are combined with AND: none widens what another selects', () => {
    const isRefused = (parameters: object) =>
      assert.throws(() => readServerQuery(parameters), PlatformError)
    isRefused({ admin: true, scope: 'project' })
    isRefused({ pending_delete_all: true, pending_delete: 'false' })
    assert.equal(readServerQuery({ admin: true }).scope, 'system')
    assert.equal(readServerQuery({ admin: true, scope: 'system' }).scope, 'system')
  })
})
