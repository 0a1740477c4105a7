import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextPosition } from './list-servers.ts'
import type { Position } from '../query/marker.ts'
import type { Found, ServerFinder, ServerParts } from './ports.ts'

const order = [{ field: 'name', descending: true }] as const
const parts = [{ id: 'a' }] as ServerParts[]

/** A storage that knows where a server is, or no longer does. */
const finderWith = (position: Position | undefined) =>
  ({ position: async () => position }) as unknown as ServerFinder

const pageOf = (found: Found, hasMore = true) => ({ total: 2, found: [found], hasMore })

describe('where the next page begins', () => {
  test('is undefined after the last page', async () => {
    const page = pageOf({ seq: 1, revision: 1, keys: ['web'] }, false)
    assert.equal(await nextPosition(finderWith(undefined), order, page, parts), undefined)
  })

  test('is after the sort keys of the last server', async () => {
    const page = pageOf({ seq: 1, revision: 1, keys: ['web'] })
    const expected = { keys: ['web'], id: 'a' }
    assert.deepEqual(await nextPosition(finderWith(undefined), order, page, parts), expected)
  })

  test('is read if the keys are not known, and undefined if the server has changed', async () => {
    const page = pageOf({ seq: 1, revision: 1 })
    const there = { keys: ['web'], id: 'a' }
    assert.deepEqual(await nextPosition(finderWith(there), order, page, parts), there)
    assert.equal(await nextPosition(finderWith(undefined), order, page, parts), 'changed')
  })
})
