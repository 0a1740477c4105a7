import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpClient } from '../shared/http-client.ts'
import { findServer, listServers } from './compute.ts'
import { findComputeResources } from './hosts.ts'
import type { Keystone } from './keystone.ts'
import { createServiceClient } from './service-client.ts'

const { signal } = new AbortController()

interface Response {
  readonly status?: number
  readonly body: object | string
}

/** Nova with these responses by path, with or without the query. */
function connect(responses: Readonly<Record<string, Response>>) {
  const sent: string[] = []
  const http: HttpClient = {
    async send({ url, headers = {} }) {
      const path = `${url.pathname}${url.search}`
      sent.push(`${headers['x-openstack-nova-api-version']} ${path}`)
      const { status = 200, body } = responses[path] ?? responses[url.pathname] ?? { body: {} }
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { status, headers: {}, body: Buffer.from(text) }
    },
    close() {},
  }
  const url = 'http://nova.example:8774'
  const catalog = [{ serviceId: 's', serviceType: 'compute', region: 'R', url }]
  const token = { value: 't', projectId: 'p', projectName: 'p', catalog, renewAt: Infinity }
  const keystone: Pick<Keystone, 'getToken' | 'forgetToken' | 'sendWithToken'> = {
    getToken: async () => token,
    forgetToken() {},
    sendWithToken: async (_scope, _signal, send) => send(token),
  }
  const client = createServiceClient({ http, keystone }, { key: 'own', request: undefined }, 'R')
  return { compute: { client, microversion: '2.93', seesAllProjects: false }, sent }
}

describe('Nova', () => {
  test('lists hypervisors page by page', async () => {
    const page = (ids: readonly (number | string)[], hasNext: boolean) => ({
      body: {
        hypervisors: ids.map((id) => ({ id, hypervisor_hostname: `h${id}` })),
        ...(hasNext && { hypervisors_links: [{ rel: 'next', href: '' }] }),
      },
    })
    const { compute } = connect({
      '/os-hypervisors/detail': page([1, 2], true),
      '/os-hypervisors/detail?marker=2': page([3], false),
      '/os-availability-zone/detail': { status: 403, body: 'denied' },
      '/flavors/detail?limit=500': { status: 403, body: 'denied' },
    })
    const { hypervisors, zones, flavors, denied } = await findComputeResources(compute, signal)
    assert.deepEqual(
      hypervisors.map((each) => each['hypervisor_hostname']),
      ['h1', 'h2', 'h3'],
    )
    assert.deepEqual([zones, flavors, denied], [[], [], ['list zones', 'list flavors']])
  })

  test('is named in errors, with what was requested', async () => {
    const messages = [
      [{ body: {} }, 'The response has no list of servers at nova.example:8774.'],
      [
        { body: 'no' },
        /^nova\.example:8774 could not list servers: the response is not a JSON object\.$/,
      ],
      [{ status: 300, body: {} }, /^nova\.example:8774 could not list servers: it redirects/],
    ] as const
    for (const [response, message] of messages) {
      const { compute } = connect({ '/servers/detail': response })
      await assert.rejects(listServers(compute, signal).next(), {
        kind: 'invalid-response',
        message,
      })
    }
  })

  test('must deny that a server exists in a version that knows of cells that are down', async () => {
    const gone = { status: 404, body: { itemNotFound: {} } }
    const { compute, sent } = connect({ '/servers/a': gone })
    assert.equal(await findServer(compute, 'a', signal), undefined)
    assert.deepEqual(sent, ['2.93 /servers/a', '2.68 /servers/a'])
    const other = connect({ '/servers/a': { status: 404, body: { error: {} } } })
    await assert.rejects(findServer(other.compute, 'a', signal), {
      kind: 'invalid-response',
      message: /nova\.example/,
    })
  })
})
