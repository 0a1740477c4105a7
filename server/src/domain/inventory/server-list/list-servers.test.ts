import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCacheMemory } from '../../cache.ts'
import type { Caller } from '../../identity/caller.ts'
import { createListServers, nextPosition } from './list-servers.ts'
import { readServerQuery } from './read-server-query.ts'
import type { Position } from '../../query/marker.ts'
import type { Found, ServerFinder, ServerParts } from '../ports.ts'

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

describe('a page that is requested again', () => {
  const caller = {
    principal: {
      token: { userId: 'u' },
      scope: { kind: 'none' },
      policies: { system: [], domain: [], project: [] },
    },
    authorizedScope: { scope: { kind: 'system' }, self: undefined },
  } as unknown as Caller

  /** A list of one server, whose parts are loaded by its revision. */
  function setUp() {
    const state = { version: 1, revision: 1, total: 1, finds: 0, loads: 0, identity: 1 }
    const finder = {
      version: () => state.version,
      find: async () => {
        state.finds += 1
        return { total: state.total, found: [{ seq: 1, revision: state.revision }], hasMore: false }
      },
      load: async ([first]: Found[]) => {
        state.loads += 1
        const revision = first?.revision ?? 0
        const body = Buffer.from(`{"revision":${revision}`)
        return [{ body, shortLength: body.length, digest: String(revision) } as ServerParts]
      },
    } as unknown as ServerFinder
    const listServers = createListServers({
      finder,
      owners: { byProject: async () => new Map(), managedAccounts: async () => new Set() },
      identityVersion: { current: () => state.identity },
      syncTimes: { of: () => undefined, version: () => 0 },
      memory: createCacheMemory(2 ** 20),
    })
    const list = () => listServers(caller, readServerQuery({}), '/servers')
    return { state, list }
  }
  const textOf = ({ body }: { body: readonly Buffer[] }) => Buffer.concat(body).toString()

  test('is found once while nothing changes', async () => {
    const { state, list } = setUp()
    await list()
    const second = await list()
    assert.equal(await list(), second)
    assert.deepEqual([state.finds, state.loads], [2, 2])
    assert.equal(second.isFresh?.(), true)
  })

  test('is found again after a change, but rendered again only if it shows the change', async () => {
    const { state, list } = setUp()
    await list()
    const page = await list()
    state.version = 2
    assert.equal(page.isFresh?.(), false)
    assert.equal(await list(), page)
    assert.equal(page.isFresh?.(), true)
    assert.deepEqual([state.finds, state.loads], [3, 2])
    state.version = 3
    state.revision = 2
    assert.match(textOf(await list()), /"revision":2/)
    assert.equal(page.isFresh?.(), false)
    state.version = 4
    state.total = 2
    assert.match(textOf(await list()), /"total":2/)
  })

  test('is rendered again after a change of identity data', async () => {
    const { state, list } = setUp()
    await list()
    const page = await list()
    state.identity = 2
    assert.equal(page.isFresh?.(), false)
    assert.notEqual(await list(), page)
    assert.equal(state.loads, 3)
  })
})
