import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, followChanges } from './index.ts'

/** An API with these changes, two a page. */
function connect(changes: string[], onQuery: (count: number) => void = () => {}) {
  const queries: URLSearchParams[] = []
  const client = createClient({
    url: 'http://muster.test',
    fetch: async (address, { signal }) => {
      signal?.throwIfAborted()
      const { searchParams } = new URL(address)
      queries.push(searchParams)
      onQuery(queries.length)
      const after = searchParams.get('after') ?? ''
      const from = after === 'start' ? 0 : after === 'now' ? changes.length : Number(after)
      const page = changes.slice(from, from + 2).map((id) => ({ id }))
      const body = { changes: page, limit: 2, position: String(from + page.length) }
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    },
  })
  return { client, queries }
}

test('following changes yields each once, keeps the filters, and goes on from a position', async () => {
  const { client, queries } = connect(['a', 'b', 'c'])
  const seen: string[] = []
  let stored = ''
  for await (const { changes, position } of followChanges(client, {
    after: 'start',
    query: { kind: 'status' },
  })) {
    seen.push(...changes.map(({ id }) => id))
    stored = position
    if (seen.length === 3) break
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  assert.equal(queries.length, 2)
  for (const query of queries) {
    assert.equal(query.get('kind'), 'status')
    assert.ok(Number(query.get('wait')) > 0)
  }
  const later = connect(['a', 'b', 'c', 'd'])
  const { value } = await followChanges(later.client, { after: stored }).next()
  assert.deepEqual(
    value?.changes.map(({ id }) => id),
    ['d'],
  )
})

test('following changes waits through empty pages until it is aborted', async () => {
  const abort = new AbortController()
  const { client, queries } = connect(['a'], (count) => count === 3 && abort.abort())
  await assert.rejects(followChanges(client, { signal: abort.signal }).next(), {
    name: 'AbortError',
  })
  assert.deepEqual(
    queries.map((query) => query.get('after')),
    ['now', '1', '1'],
  )
})
