import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contract from '@muster/contract'
import { gatewayOperations, operations } from '@muster/contract'
import { createClient } from './index.ts'
import { routes } from './contract.ts'
import { routeOf } from './route.ts'
import { csrfHeader, pollHeader } from './wire-names.ts'

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
  for await (const { name: exported } of client.rows('listServers')) exported?.trim()
  // @ts-expect-error: no export
  client.rows('listUsers')
  // @ts-expect-error: no list
  client.all('getServer', { parameters: { id: 'one' } })
  // @ts-expect-error: the header that it is about is missing
  await client.validateToken()
  // @ts-expect-error: the answer has no such key
  assert.ok((await client.getServer({ parameters: { id: 'one' } })).servers)
}

test('each operation of the contract has a method of its own', () => {
  const names = {
    request: true,
    stream: true,
    pages: true,
    all: true,
    rows: true,
    logIn: true,
    logOut: true,
  }
  for (const { id } of [...operations, ...gatewayOperations]) {
    assert.equal(typeof client[id], 'function')
    assert.ok(!(id in names), id)
  }
})

test('routes have the properties that the contract gives', () => {
  const expected = {
    issueToken: 'POST /v3/auth/tokens public',
    getServer: 'GET /servers/{id}',
    exportHostsFile: 'GET /inventory/hosts text',
    showReference: 'GET /docs public text',
    stopServer: 'POST /servers/{id}/stop key',
    createBatch: 'POST /servers/batch key',
    revokeToken: 'DELETE /v3/auth/tokens',
    getSession: 'GET /api/session',
  } as const
  for (const [id, route] of Object.entries(expected)) {
    assert.equal(routes[id as keyof typeof expected], route)
  }
  assert.deepEqual(routeOf('stopServer'), {
    method: 'POST',
    path: '/servers/{id}/stop',
    isPublic: false,
    returnsText: false,
    takesKey: true,
  })
})

test('headers have the names of the contract', () => {
  assert.deepEqual([csrfHeader, pollHeader], [contract.csrfHeader, contract.pollHeader])
})
