import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  askServers,
  badParameter,
  listServers,
  nextIn,
  type ListedServers,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const count = 23

onEngineOfLane('paging by marker', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id } = projectAt(fleet, 0)
    // Equal sort values, so that only the ids differ.
    await fleet.record(
      Array.from({ length: count }, (_, at) =>
        minimalServer(id, {
          name: ['same?', 'same', 'Ωther'][at % 3] ?? '',
          vcpu_count: at % 2,
          expired_at: at % 4 === 0 ? null : '2026-06-01T00:00:00.000001Z',
          description: `number ${at % 5}`,
        }),
      ),
    )
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const markerIn = (link: string) => new URL(link).searchParams.get('marker') ?? ''

  async function walk(query: string): Promise<{ pages: ListedServers[]; links: string[] }> {
    const pages: ListedServers[] = []
    const links: string[] = []
    let answer = await askServers(fleet.url, owner(), query)
    for (;;) {
      assert.equal(answer.status, 200, answer.text)
      pages.push(answer.body)
      const link = nextIn(answer.headers)
      if (link === undefined) return { pages, links }
      assert.ok(links.length < 30, 'this does not end')
      links.push(link)
      answer = await ask<ListedServers>('', link, { token: owner().token })
    }
  }

  const queries = [
    '',
    'details=true&with_meta=true',
    'order_by=name&order=asc&order_by=vcpu_count',
    'order_by=expired_at&order=asc',
    'order_by=project&order=asc',
    'vcpu_count=1&search=number',
    "filter=name.startswith('same')&order_by=status",
    'field=id&field=name',
    'q=vcpu<1%20-description:%22number%203%22',
  ]
  for (const query of queries) {
    test(`returns the same as one large page: ${query}`, async () => {
      const whole = await listServers(owner(), `${query}&limit=2048`)
      assert.ok(whole.total > 5)
      for (const limit of [1, 7]) {
        const { pages } = await walk(`${query}&limit=${limit}`)
        assert.equal(pages.length, Math.ceil(whole.total / limit))
        assert.deepEqual(
          pages.flatMap(({ servers }) => servers),
          whole.servers,
        )
        for (const page of pages) assert.deepEqual([page.total, page.limit], [whole.total, limit])
      }
    })
  }

  test('has no Link on the last page or if everything fits on one', async () => {
    for (const query of [`limit=${count}`, `limit=2048`, `offset=${count - 1}`, 'status=none']) {
      assert.equal((await askServers(fleet.url, owner(), query)).headers.get('link'), null, query)
    }
    const { headers } = await askServers(fleet.url, owner(), `limit=${count - 1}`)
    assert.ok(nextIn(headers))
  })

  test('the link keeps the path and the parameters and adds a marker', async () => {
    const query = 'limit=2&details=true&status=running&filter.0=vcpu_count.ge(0)&search=number%201'
    const { links } = await walk(query)
    assert.ok(links.length > 1)
    for (const link of links) {
      assert.ok(link.startsWith(`${fleet.platform.baseUrl}/servers?${query}&marker=`), link)
      assert.match(markerIn(link), /^[A-Za-z0-9_-]+$/)
    }
    assert.equal(new Set(links).size, links.length)
  })

  test('keeps a query that contains a question mark', async () => {
    const query = 'name=same?&order_by=vcpu_count&limit=3'
    const { pages } = await walk(query)
    assert.deepEqual(
      pages.map(({ servers }) => servers.length),
      [3, 3, 2],
    )
  })

  test('continues by marker after an offset', async () => {
    const whole = await listServers(owner(), 'limit=100')
    for (const query of ['offset=5&limit=6', 'limit=6&offset=5&details=false']) {
      const { pages, links } = await walk(query)
      assert.deepEqual(
        pages.flatMap(({ servers }) => servers),
        whole.servers.slice(5),
      )
      for (const link of links) assert.ok(!link.includes('offset='), link)
      assert.equal(pages[0]?.offset, 5)
    }
  })

  test('accepts the Cloudpods parameter paging_marker, also numbered', async () => {
    const first = await askServers(fleet.url, owner(), 'limit=9')
    const marker = markerIn(nextIn(first.headers) ?? '')
    const wanted = await listServers(owner(), `limit=9&marker=${marker}`)
    for (const name of ['paging_marker', 'paging_marker.0']) {
      const { pages } = await walk(`limit=9&offset=0&${name}=${marker}`)
      assert.deepEqual(pages[0]?.servers, wanted.servers)
      assert.equal(pages.flatMap(({ servers }) => servers).length, count - 9)
    }
  })

  test('accepts a marker with another limit or format and rejects it with another query', async () => {
    const query = 'status=running&order_by=name'
    const { headers } = await askServers(fleet.url, owner(), `${query}&limit=3`)
    const marker = markerIn(nextIn(headers) ?? '')
    const whole = await listServers(owner(), `${query}&limit=100&field=id`)
    for (const shape of ['limit=4', 'limit=4&details=true', 'limit=4&field=id']) {
      const page = await listServers(owner(), `${query}&${shape}&marker=${marker}`)
      assert.deepEqual(
        page.servers.map(({ id }) => id),
        whole.servers.slice(3, 7).map(({ id }) => id),
      )
    }
    const others = [
      'status=running',
      'status=running&order_by=name&order=asc',
      'order_by=name',
      'status=running&status=ready&order_by=name',
      `${query}&search=number`,
      `${query}&pending_delete=all`,
      `${query}&scope=project`,
      `${query}&order_by=status`,
    ]
    for (const other of others) {
      const [path, problem] = await badParameter(owner(), `${other}&marker=${marker}`)
      assert.equal(path, 'marker', other)
      assert.match(problem, /another query/)
    }
  })

  test('rejects a marker with an offset, and an invalid marker', async () => {
    const { headers } = await askServers(fleet.url, owner(), 'limit=3')
    const marker = markerIn(nextIn(headers) ?? '')
    const none = ['', 'nonsense', 'W10', 'bnVsbA', marker.slice(0, -8)]
    const forged = Buffer.from('["x",1,"y"]').toString('base64url')
    const bad = [`${marker}&offset=0`, `${marker}&offset=3`, ...none, forged]
    for (const text of bad) {
      assert.equal((await badParameter(owner(), `marker=${text}`))[0], 'marker', text)
    }
    for (const more of ['offset=2', `marker=${marker}`]) {
      const [path] = await badParameter(owner(), `paging_marker=${marker}&${more}`)
      assert.equal(path, 'paging_marker')
    }
  })
})
