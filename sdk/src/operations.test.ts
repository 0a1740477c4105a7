import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOperations, operations } from '@muster/contract'
import { createClient } from './index.ts'
import { routes } from './routes.ts'

const client = createClient({ fetch: async () => new Response('{}') })

/** Never run. The test is that it compiles, and that the marked lines do not. */
export async function typesHold(): Promise<void> {
  const { servers, total } = await client.listServers({ query: { status: 'running', limit: 5 } })
  const name: string | undefined = servers[0]?.name
  const count: number = total
  await client.listServers({ query: { status: ['running', 'ready'], search: undefined } })
  const { server } = await client.getServer({ parameters: { id: 'one' } })
  const cores: number = server.vcpu_count
  const gone: undefined = await client.deleteUser({ parameters: { id: 'one' } })
  for await (const user of client.all('listUsers')) user.name.trim()
  for await (const { events } of client.pages('getServerHistory', { parameters: { id: 'one' } })) {
    events.map(({ changes }) => changes)
  }
  const { status, headers } = await client.request('listServers')
  assert.ok([name, count, cores, gone, status, headers])

  // @ts-expect-error: no such operation
  await client.listNothing()
  // @ts-expect-error: a parameter of the path is missing
  await client.getServer()
  // @ts-expect-error: of another name
  await client.getServer({ parameters: { name: 'one' } })
  // @ts-expect-error: no such filter
  await client.listServers({ query: { statu: 'running' } })
  // @ts-expect-error: not a number
  await client.listServers({ query: { limit: 'ten' } })
  // @ts-expect-error: the body is missing
  await client.createUser()
  // @ts-expect-error: the body has no such key
  await client.createUser({ body: { user: { nam: 'ada' } } })
  // @ts-expect-error: it takes no body
  await client.listUsers({ body: {} })
  // @ts-expect-error: no list
  client.all('getServer', { parameters: { id: 'one' } })
  // @ts-expect-error: the header that it is about is missing
  await client.validateToken()
  // @ts-expect-error: the answer has no such key
  assert.ok((await client.getServer({ parameters: { id: 'one' } })).servers)
}

test('each operation of the contract has a method and a route', () => {
  const all = [...operations, ...gatewayOperations]
  assert.deepEqual(
    Object.fromEntries(all.map(({ id, method, path }) => [id, `${method} ${path}`])),
    routes,
  )
  for (const { id } of all) assert.equal(typeof client[id], 'function')
  // Their names are the client's own.
  for (const own of ['request', 'stream', 'pages', 'all', 'logIn', 'logOut']) {
    assert.ok(!(own in routes), own)
  }
})
