import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson, textOf, type Json } from '../shared/json.ts'
import { listServers, type Compute } from './compute.ts'
import type { ServiceClient } from './service-client.ts'

const ids = ['a', 'b', 'c', 'd']
const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)])
const excesses = { levels: nested(70), values: Array(300_001).fill(0) }

/** Nova with these servers, one of which has an odd field. */
function computeWith(oddId: string, odd: unknown): Compute {
  const send: ServiceClient['send'] = async ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1])
    const from = ids.indexOf(query.get('marker') ?? '') + 1
    const servers = ids.slice(from, from + Number(query.get('limit'))).map((id) => ({
      id,
      name: id,
      tenant_id: 'p1',
      ...(id === oddId && { metadata: odd }),
    }))
    const json = parseJson(Buffer.from(JSON.stringify({ servers })), 'nova', 'list servers')
    return { status: 200, headers: {}, host: 'nova', json, bytes: 0 }
  }
  const client = { send, region: 'R' } as unknown as ServiceClient
  return { client, microversion: '2.93', seesAllProjects: true }
}

test('a server with too many levels or values is listed as unreadable, among the others', async () => {
  for (const [excess, odd] of Object.entries(excesses)) {
    for (const oddId of ids) {
      const pages = listServers(computeWith(oddId, odd), AbortSignal.timeout(10_000))
      const servers: readonly Json[] = (await Array.fromAsync(pages)).flat()
      assert.deepEqual(
        servers.map((server) => [textOf(server, 'id'), textOf(server, 'tenant_id')]),
        ids.map((id) => [id, 'p1']),
      )
      const problems = servers.filter((server) => 'problem' in server)
      assert.deepEqual(
        problems.map((server) => textOf(server, 'id')),
        [oddId],
      )
      assert.match(textOf(problems[0], 'problem'), new RegExp(excess))
    }
  }
})
