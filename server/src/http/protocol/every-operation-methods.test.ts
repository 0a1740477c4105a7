import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation, type OperationId } from '@muster/contract'
import { pathOf } from '../../testing/call-operation.ts'
import { ask, type ClientResponse } from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { requests } from '../../testing/platform-world/persona-requests.ts'
import { rowsOf } from '../../testing/platform-world/persona-table.ts'
import {
  operationOf,
  startPlatformWorld,
  type RunningPlatformWorld,
} from '../../testing/platform-world/start-platform-world.ts'
import { changedTables } from '../../testing/platform-world/snapshots.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const all: readonly Operation[] = operations
const withMethod = (method: string) =>
  sampleOperations(operations)
    .filter((operation) => operation.method === method)
    .map(({ id }) => id)

let running: RunningPlatformWorld
before(async () => {
  running = await startPlatformWorld('sqlite')
})
after(() => running.platform.close())

describe('PATCH under /v3', () => {
  const puts = withMethod('PUT').filter((id) => operationOf(id).path.startsWith('/v3/'))

  for (const id of puts) {
    test(`is the same as PUT: ${id}`, async () => {
      const { organisation, takeSnapshot } = running
      for (const method of ['PUT', 'PATCH']) {
        const resources = await organisation.addResources('home')
        const { token } = organisation.persona('admin')
        const earlier = await takeSnapshot()
        const answer = await organisation.call(id, { resources, token, method, isDone: true })
        const [success] = Object.keys(operationOf(id).responses)
        assert.equal(answer.status, Number(success), answer.text)
        const changed = changedTables(earlier, await takeSnapshot())
        assert.deepEqual(changed, requests[id].changes?.toSorted(), method)
        await organisation.removeThings(resources)
      }
    })

    test(`is denied like PUT: ${id}`, async () => {
      const { organisation, takeSnapshot } = running
      const rows = new Map(rowsOf(id))
      const row = rows.get('otherDomain') ?? rows.get('home')
      const resources = await organisation.addResources('otherDomain')
      const earlier = await takeSnapshot()
      for (const name of ['none', 'unscoped', 'viewer', 'owner', 'domainAdmin'] as const) {
        if (row?.[name] === 'allowed') continue
        const { token } = organisation.persona(name)
        const byPut = await organisation.call(id, { resources, token })
        const byPatch = await organisation.call(id, { resources, token, method: 'PATCH' })
        assert.ok(byPatch.status >= 400)
        assert.deepEqual(comparableParts(byPatch), comparableParts(byPut), name)
      }
      const changed = changedTables(earlier, await takeSnapshot())
      assert.deepEqual(
        changed.filter((table) => table !== 'events'),
        [],
      )
    })
  }

  test('is not supported elsewhere', async () => {
    const { token = '' } = running.organisation.persona('admin')
    const patterns = all
      .filter(({ method, path }) => method === 'PUT' && path.startsWith('/v3/'))
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, '[^/]+'))
    const takesPut = (path: string) =>
      patterns.some((pattern) => new RegExp(`^${pattern}$`).test(path))
    const others = new Set(all.map(pathOf).filter((path) => !takesPut(path)))
    assert.ok(others.size > 10)
    for (const path of others) {
      const answer = await ask(running.platform.url, path, { method: 'PATCH', token })
      assertError(answer, 'MethodNotAllowedError')
      assert.ok(!answer.headers.get('allow')?.includes('PATCH'), path)
    }
  })
})

describe('HEAD', () => {
  /** The comparable headers: the client closes the connection after a HEAD. */
  const headersOf = (id: OperationId, answer: ClientResponse) =>
    comparableParts(answer).headers.filter(([name]) => {
      // Metrics change, and so does their length.
      if (id === 'showMetrics' && name === 'content-length') return false
      return name !== 'connection' && name !== 'keep-alive'
    })

  for (const id of withMethod('GET')) {
    test(`returns what GET returns, without the body: ${id}`, async () => {
      const { organisation } = running
      const resources = await organisation.addResources('home')
      for (const name of ['none', 'stranger', 'viewer', 'admin'] as const) {
        const { token } = organisation.persona(name)
        const got = await organisation.call(id, { resources, token })
        const head = await organisation.call(id, { resources, token, method: 'HEAD' })
        assert.equal(head.text, '')
        assert.equal(head.status, got.status, name)
        assert.deepEqual(headersOf(id, head), headersOf(id, got), name)
      }
      await organisation.removeThings(resources)
    })
  }
})
