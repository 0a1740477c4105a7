import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations, type Operation } from './index.ts'

const all: readonly Operation[] = operations
const lists = all.filter(
  ({ id, method }) => (method === 'GET' && id.startsWith('list')) || id === 'getServerHistory',
)
const parameters = [
  'details',
  'field',
  'filter',
  'limit',
  'marker',
  'offset',
  'order',
  'order_by',
  'scope',
  'search',
]
const keysOf = (schema: { readonly properties?: object } | undefined) =>
  Object.keys(schema?.properties ?? {})

describe('every list', () => {
  for (const { id, path, query, responses } of lists) {
    test(`${id} has the parameters of all lists`, () => {
      const known = keysOf(query)
      assert.deepEqual(
        parameters.filter((name) => !known.includes(name)),
        [],
      )
    })

    test(`${id} tells limit, offset and total, if it counts`, () => {
      const isOfEvents = /\/(events|actions|history)$/.test(path)
      const [items, ...others] = keysOf(responses[200]?.body).toSorted(
        (a, b) =>
          Number(['limit', 'offset', 'total', 'links', 'next_marker'].includes(a)) -
          Number(['limit', 'offset', 'total', 'links', 'next_marker'].includes(b)),
      )
      assert.notEqual(items, undefined)
      assert.deepEqual(
        others.filter((name) => name !== 'next_marker').toSorted(),
        isOfEvents
          ? ['limit']
          : path.startsWith('/v3/')
            ? ['limit', 'links', 'offset', 'total']
            : ['limit', 'offset', 'total'],
      )
    })
  }
})
