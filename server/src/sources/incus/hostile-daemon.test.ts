import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError, UnconfirmedAbsence } from '../../domain/sources/source-error.ts'
import type { ScanPage } from '../../domain/sources/source.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { createApi } from './api.ts'
import { getServers } from './get-server.ts'
import { Memory } from './memory.ts'
import { readChanges } from './read-changes.ts'
import { scanInstances } from './scan.ts'

interface Response {
  readonly status?: number
  readonly body: object | string
}

/** A connection to a daemon with these responses by path, with or without the query; it has an empty list for any other path. */
function connect(
  responses: Readonly<Record<string, Response>>,
  base = 'https://daemon:8443',
  many: readonly { readonly name: string }[] = [],
) {
  const sent: string[] = []
  /** As the daemon filters: by a regular expression. */
  function listMany(query: URLSearchParams) {
    const [, pattern = ''] = /^name eq (.+)$/.exec(query.get('filter') ?? '') ?? []
    const listed = many.filter(({ name }) => new RegExp(pattern).test(name))
    const isWhole = query.get('recursion') === '1'
    const metadata = isWhole ? listed : listed.map(({ name }) => `/1.0/instances/${name}`)
    return {
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ type: 'sync', metadata })),
    }
  }
  const client: HttpClient = {
    async send({ url }) {
      sent.push(url.pathname)
      if (url.pathname === '/1.0/instances' && many.length > 0) return listMany(url.searchParams)
      const path = `${url.pathname}${url.search}`
      const { status = 200, body } = responses[path] ?? responses[url.pathname] ?? { body: [] }
      const text =
        typeof body === 'string' ? body : JSON.stringify({ type: 'sync', metadata: body })
      return { status, headers: {}, body: Buffer.from(text) }
    },
    close() {},
  }
  const connection = {
    api: createApi(client, { url: new URL(base) }, AbortSignal.timeout(10_000)),
    daemon: {
      product: 'Incus',
      version: '6.0',
      serverName: 'one',
      isClustered: responses['/1.0/cluster/members'] !== undefined,
      canFilter: true,
      fingerprint: 'f',
    },
    memory: new Memory('f'),
    projects: [],
    clock: Date.now,
  } as const
  return {
    connection,
    sent,
    scan: (): Promise<ScanPage[]> => Array.fromAsync(scanInstances(connection)),
  }
}

const projects: Response = { body: [{ name: 'default' }] }
const instance = (name: string, more: object = {}) => ({
  name,
  type: 'virtual-machine',
  status: 'Stopped',
  config: {},
  expanded_config: { 'volatile.uuid': `u-${name}` },
  ...more,
})
const withInstances = (...body: readonly object[]) => ({
  '/1.0/projects': projects,
  '/1.0/instances': { body },
  '/1.0/resources': { body: {} },
})
const referToInstance = (externalId: string, tenantId = 'default') => ({
  ...referTo(externalId),
  tenantId,
})
const serversOf = (pages: readonly ScanPage[]) => pages.flatMap(({ present }) => present)

describe('Incus: a daemon that sends odd things', () => {
  test('may use words that are names of functions', async () => {
    const disk = { type: 'disk', path: '/', pool: 'fast', 'io.bus': 'constructor' }
    const { scan } = connect({
      ...withInstances(
        instance('odd', {
          status: 'constructor',
          expanded_devices: { root: disk, other: { type: 'toString' } },
        }),
        instance('plain'),
      ),
      '/1.0/storage-pools/fast': { body: { driver: 'valueOf' } },
      '/1.0/cluster/members': { body: [{ server_name: 'one', status: 'constructor' }] },
      '/1.0/instances?project=default': { body: [] },
    })
    const [odd, ...others] = serversOf(await scan())
    assert.equal(others.length, 1)
    const { status, notes, host_status, disks_info = [], isolated_devices } = odd?.facts ?? {}
    assert.deepEqual([status, notes?.['source_status']], ['unknown', 'constructor'])
    assert.deepEqual([host_status, isolated_devices], ['unknown', []])
    assert.deepEqual(
      [disks_info[0]?.storage_type, disks_info[0]?.driver],
      ['valueOf', 'constructor'],
    )
  })

  test('is not quoted in errors', async () => {
    for (const status of [400, 404, 501]) {
      const body = JSON.stringify({ error: 'password \u001b[2J', error_code: status })
      const { scan } = connect({ '/1.0/projects': { status, body } })
      await assert.rejects(scan(), (error: Error) => !/password|2J/.test(error.message))
    }
  })

  test('does not change servers by failing to read what they refer to', async () => {
    const pool = '/1.0/storage-pools/fast'
    const disk = { type: 'disk', pool: 'fast' }
    const devices = {
      root: { ...disk, path: '/' },
      data: { ...disk, path: '/d', source: 'data' },
      eth0: { type: 'nic', network: 'lan' },
    }
    const instances = withInstances(
      instance('a', { type: 'container', expanded_devices: devices }),
      instance('b'),
    )
    const optional = {
      [pool]: { body: { driver: 'zfs', config: { 'volume.size': '3GiB' } } },
      [`${pool}/volumes/custom`]: { body: [{ name: 'data', config: { size: '2GiB' } }] },
      '/1.0/resources': { body: { cpu: { total: 6 }, memory: { total: 2 ** 33 } } },
      '/1.0/networks': { body: [{ name: 'lan', managed: true, status: 'Created', config: {} }] },
    }
    const responses: Record<string, Response> = { ...instances, ...optional }
    const { connection, scan } = connect(responses)
    const before = serversOf(await scan())
    const [{ facts } = assert.fail()] = before
    assert.deepEqual(
      [facts.vcpu_count, facts.disks_info?.map(({ size }) => size)],
      [6, [3072, 2048]],
    )
    let hours = 0
    const later = { ...connection, clock: () => Date.now() + hours * 3_600_000 }
    for (const [path, action, fields] of [
      [pool, 'read a storage pool', ['disks_info']],
      [`${pool}/volumes/custom`, 'list the storage volumes', ['disks_info', 'cdrom']],
      ['/1.0/resources', 'read the resources', ['host_sn', 'vcpu_count', 'vmem_size']],
      ['/1.0/networks', 'list the networks', ['nics']],
    ] as const) {
      const working = responses[path]
      for (const failure of [
        { status: 400, body: '{}' },
        { status: 401, body: '{}' },
        { status: 500, body: '{}' },
        { status: 200, body: 'garbage' },
      ]) {
        responses[path] = failure
        hours += 1
        const during = await Array.fromAsync(scanInstances(later))
        const [server = assert.fail(), other] = serversOf(during)
        assert.deepEqual(server.unread, fields)
        for (const [field, value] of Object.entries(server.facts)) {
          const isRead = !fields.some((unread) => unread === field)
          if (isRead) assert.deepEqual(value, facts[field as keyof typeof facts], field)
        }
        // It refers to nothing but its host.
        const ofHost = path === '/1.0/resources' ? ['host_sn'] : undefined
        assert.deepEqual([other?.facts, other?.unread], [before[1]?.facts, ofHost])
        const failed = during.flatMap((page) => page.failed ?? [])
        assert.deepEqual(
          failed.map(({ region, hasServers }) => [region, hasServers]),
          [['', true]],
        )
        assert.equal(failed[0]?.error.call, action)
        const hosts = during.flatMap(({ resources }) => resources?.hosts ?? [])
        assert.equal(hosts.length, path === '/1.0/resources' ? 0 : 1)
      }
      const denied = { ...instances, ...optional, [path]: { status: 403, body: '{}' } }
      assert.deepEqual(
        (await connect(denied).scan()).flatMap(({ forbidden = [] }) => forbidden),
        [{ permission: action, servers: 2 }],
      )
      assert.ok(working)
      responses[path] = working
    }
  })

  test('lists many instances in few responses', async () => {
    const values = Array.from({ length: 110 }).fill(0)
    const many = Array.from({ length: 3_000 }, (_, at) => instance(`web-${at}`, { values }))
    const { scan, sent } = connect(withInstances(), undefined, many)
    assert.equal(serversOf(await scan()).length, 3_000)
    const requests = sent.filter((path) => path.startsWith('/1.0/instances'))
    assert.ok(requests.length < 10, `${requests.length} requests`)
  })

  test('does not fail the scan by an instance that is too large', async () => {
    // More values than a response may have.
    const large = instance('large', { values: Array.from({ length: 310_000 }).fill(0) })
    const one = { ...withInstances(), '/1.0/instances/large': { body: large } }
    const { scan, connection } = connect(one, undefined, [instance('a'), large, instance('b')])
    const isListed = async (isKnown: boolean) => {
      const pages = await scan()
      assert.deepEqual(
        serversOf(pages).map(({ facts }) => facts.name),
        ['a', 'b'],
      )
      const unreadable = pages.flatMap((page) => page.unreadable ?? []).map(({ name }) => name)
      const failed = pages.flatMap((page) => page.failed ?? [])
      assert.deepEqual(unreadable, isKnown ? ['large'] : [])
      assert.deepEqual(
        failed.map(({ tenant, error }) => [tenant, /instance large/.test(error.message)]),
        isKnown ? [] : [['default', true]],
      )
    }
    await isListed(false)
    await assert.rejects(getServers(connection, [referToInstance('u-large')]), UnconfirmedAbsence)
    connection.memory.index.update('default/large', 'u-large')
    await isListed(true)
  })

  test('must name its instances and projects', async () => {
    for (const name of ['', '.', '..', 'a/b', '\ud800']) {
      const cases = [withInstances(instance(name)), { '/1.0/projects': { body: [{ name }] } }]
      for (const responses of cases) {
        const { scan, sent } = connect(responses)
        await assert.rejects(scan(), { kind: 'invalid-response' })
        assert.deepEqual(
          sent.filter((path) => !/^\/1\.0\/(?:projects|instances)$/.test(path)),
          [],
        )
      }
    }
    const cluster = {
      ...withInstances(),
      '/1.0/cluster/members': { body: [] },
      '/1.0/instances?project=default': { body: ['/1.0/instances/%2E%2E'] },
    }
    await assert.rejects(connect(cluster).scan(), { kind: 'invalid-response' })
  })

  test('cannot change paths by names of storage pools and of known servers', async () => {
    const disk = { type: 'disk', path: '/', pool: '..', source: 'x' }
    const { connection, scan, sent } = connect(
      withInstances(instance('a', { expanded_devices: { root: disk } })),
    )
    assert.equal(serversOf(await scan()).length, 1)
    for (const name of ['', '.', '..', 'a/..']) {
      await getServers(connection, [
        referToInstance('default/..'),
        { ...referToInstance('u-lost'), name },
      ])
    }
    assert.deepEqual(
      [...new Set(sent)].sort(),
      ['images', 'instances', 'networks', 'projects', 'resources'].map((name) => `/1.0/${name}`),
    )
  })

  test('with TLS is not asked without it', async () => {
    const { scan } = connect(
      { '/1.0/projects': { status: 400, body: 'Client sent an HTTP request to an HTTPS server.' } },
      'http://daemon:8443',
    )
    await assert.rejects(scan(), { kind: 'tls', message: /begin with https:\/\// })
  })

  test('that fails to read one server says nothing about it', async () => {
    const running = instance('a', { status: 'Running' })
    const responses: Record<string, Response> = {
      ...withInstances(running),
      '/1.0/instances/a': { body: running },
      '/1.0/instances/a/state': { body: { network: { eth0: { hwaddr: '', addresses: [] } } } },
    }
    const { connection, scan } = connect(responses)
    const [{ key } = assert.fail()] = serversOf(await scan())
    const reference = referToInstance(String(key.at(-1)))
    const read = () => getServers(connection, [reference])
    const readEvent = async () => {
      const failing: string[] = []
      const update = await readChanges(connection, ['default/a'], (path) => failing.push(path))
      return { ...update, failing }
    }
    const [known] = await read()
    for (const status of [500, 503]) {
      responses['/1.0/instances/a/state'] = { status, body: '{}' }
      const partial = { ...known, unread: ['nics'] }
      assert.deepEqual(await read(), [partial])
      const update = { present: [partial], gone: [], unreadable: [], failing: [] }
      assert.deepEqual(await readEvent(), update)
      connection.memory.states.clear()
      const pages = await scan()
      assert.deepEqual(
        pages.flatMap(({ unreadable = [] }) => unreadable),
        [],
      )
      const [server] = serversOf(pages)
      assert.deepEqual([server?.facts.status, server?.unread], ['running', ['nics']])
      assert.ok(pages.some(({ failed = [] }) => failed.some((part) => part.hasServers)))
      responses['/1.0/instances/a'] = { status, body: '{}' }
      await assert.rejects(read(), { kind: 'failed' }, String(status))
      const nothing = { present: [], gone: [], unreadable: [], failing: ['default/a'] }
      assert.deepEqual(await readEvent(), nothing)
      responses['/1.0/instances/a'] = { body: running }
    }
    responses['/1.0/instances/a'] = { status: 403, body: '{}' }
    assert.ok('reason' in ((await read())[0] ?? {}), 'an instance that may not be read')
  })

  test('says which projects were read, and hides no server as deleted', async () => {
    const { connection, scan } = connect(withInstances(instance('a')))
    assert.deepEqual(
      (await scan()).flatMap(({ tenants = [] }) => tenants),
      ['default'],
    )
    assert.deepEqual(await getServers(connection, [referToInstance('u-lost')]), [undefined])
    await assert.rejects(getServers(connection, [referToInstance('u-lost', 'lost')]), {
      kind: 'forbidden',
    })
  })

  test('says so too if the account lists projects', async () => {
    const { connection } = connect({
      ...withInstances(instance('a')),
      '/1.0/projects': { body: [{ name: 'default' }, { name: 'other' }] },
    })
    const narrowed = { ...connection, projects: ['default'] }
    const pages = await Array.fromAsync(scanInstances(narrowed))
    assert.deepEqual(
      pages.flatMap(({ tenants = [] }) => tenants),
      ['default'],
    )
    await assert.rejects(getServers(narrowed, [referToInstance('u-b', 'other')]), {
      kind: 'forbidden',
    })
  })

  const answers: Readonly<Record<string, readonly [Response, expected: string]>> = {
    'the instance': [{ body: instance('b') }, 'b'],
    'a new instance of the same name': [
      { body: instance('b', { expanded_config: { 'volatile.uuid': 'u-new' } }) },
      'gone',
    ],
    'that there is none': [
      { status: 404, body: JSON.stringify({ error: 'not found', error_code: 404 }) },
      'gone',
    ],
    'no permission': [{ status: 403, body: '{}' }, 'unknown'],
    'an error': [{ status: 400, body: '{}' }, 'unknown'],
    'an unreachable member': [{ body: { name: 'b', location: 'two', config: null } }, 'unknown'],
  }
  for (const isRestarted of [false, true]) {
    for (const [answer, [response, expected]] of Object.entries(answers)) {
      test(`by a list without an instance${isRestarted ? ', after a restart,' : ''} does not say that it is gone, but says by its name: ${answer}`, async () => {
        const responses: Record<string, Response> = withInstances(instance('a'), instance('b'))
        let { connection, scan } = connect(responses)
        await scan()
        if (isRestarted) ({ connection, scan } = connect(responses))
        responses['/1.0/instances'] = { body: [instance('a')] }
        const read = async () => {
          try {
            const [found] = await getServers(connection, [{ ...referToInstance('u-b'), name: 'b' }])
            if (!found) return 'gone'
            return 'facts' in found ? found.facts.name : 'unknown'
          } catch (error) {
            assert.ok(error instanceof SourceError)
            return 'unknown'
          }
        }
        for (const again of [1, 2]) {
          await scan()
          responses['/1.0/instances/b'] = response
          assert.equal(await read(), expected, `scan ${again}`)
          // An error says nothing, now or later.
          responses['/1.0/instances/b'] = { status: 400, body: '{}' }
          await scan()
          assert.equal(await read(), 'unknown')
        }
        responses['/1.0/instances'] = {
          body: [
            instance('a'),
            instance('renamed', { expanded_config: { 'volatile.uuid': 'u-b' } }),
          ],
        }
        responses['/1.0/instances/renamed'] = {
          body: instance('renamed', { expanded_config: { 'volatile.uuid': 'u-b' } }),
        }
        await scan()
        assert.equal(await read(), 'renamed')
      })
    }
  }
})
