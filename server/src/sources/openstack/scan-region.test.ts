import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { FailedPart } from '../../domain/sources/source.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { findRegions } from './regions.ts'
import { getServer, readServers, scanRegions } from './scan-region.ts'
import type { Session } from './session.ts'

const { signal } = new AbortController()
const regions = ['north', 'south']
const projects = ['p1', 'p2', 'p3']

/** A cloud with one server in each region and project, in which some requests fail. */
function createCloud() {
  const cloud = {
    isBroken: (_region: string, _project: string, _path: string) => false,
    /** Of Neutron, in the first region and project. */
    lists: {} as Readonly<Record<string, readonly object[]>>,
  }
  const tokenOf = (projectId: string) => ({
    value: projectId,
    projectId,
    projectName: projectId,
    renewAt: Infinity,
    catalog: regions.flatMap((region) =>
      ['compute', 'network'].map((serviceType) => ({
        serviceId: 'cloud',
        serviceType,
        region,
        url: `http://${region}.example/${serviceType}`,
      })),
    ),
  })
  const http: HttpClient = {
    async send({ url, headers = {} }) {
      const [region = '', project] = [url.hostname.split('.')[0], headers['x-auth-token'] ?? '']
      if (cloud.isBroken(region, project, url.pathname)) {
        throw new SourceError('failed', 'It has an error.')
      }
      const isAll = url.searchParams.has('all_tenants')
      const isEnd = url.searchParams.has('marker')
      const id = `${region} ${project}`
      const servers = isEnd
        ? []
        : [{ id, name: id, tenant_id: project, status: 'ACTIVE', addresses: {} }]
      const lists = ['networks', 'subnets', 'ports', 'floatingips', 'security_groups']
      const body = {
        ...Object.fromEntries(lists.map((name) => [name, []])),
        ...(id === 'north p1' &&
          Object.fromEntries(
            Object.entries(cloud.lists).filter(([name]) => url.pathname.endsWith(`/${name}`)),
          )),
        servers,
        flavors: [],
        hypervisors: [],
        availabilityZoneInfo: [],
      }
      const isDenied = isAll && url.pathname.endsWith('/servers/detail')
      return {
        status: isDenied ? 403 : 200,
        headers: {},
        body: Buffer.from(JSON.stringify(body)),
      }
    },
    close() {},
  }
  async function getToken({ key }: { readonly key: string }) {
    if (cloud.isBroken('', key, 'login')) throw new SourceError('failed', 'No token.')
    return tokenOf(key)
  }
  const session = {
    settings: { authUrl: 'http://keystone.example', interface: 'public', regions: [] },
    http,
    keystone: {
      getToken,
      findScopes: async () => projects.map((key) => ({ key, request: undefined })),
      forgetToken() {},
      sendWithToken: async (scope: never, _signal: never, send: (token: object) => unknown) =>
        send(await getToken(scope)),
    },
    lookups: new Map(),
    plans: new Map(),
    projectNames: new Map(),
  } as unknown as Session

  async function scan() {
    const scopes = projects.map((key) => ({ key, request: undefined }))
    const names: string[] = []
    const failed: FailedPart[] = []
    const unread = new Map<string, readonly string[]>()
    const found = await findRegions(session, scopes, signal)
    for await (const page of scanRegions(session, found, signal)) {
      names.push(...page.present.map(({ facts }) => facts.name))
      for (const server of page.present) {
        if (server.unread) unread.set(server.facts.name, server.unread)
      }
      failed.push(...(page.failed ?? []))
    }
    return { names: names.sort(), failed, unread }
  }
  const get = (externalId: string, regionId: string, tenantId: string) =>
    getServer(session, { ...referTo(externalId, regionId), tenantId }, signal)
  return { cloud, scan, get, session }
}

const all = regions.flatMap((region) => projects.map((project) => `${region} ${project}`))

for (const broken of projects) {
  test(`a project that fails leaves the others of its region: ${broken}`, async () => {
    const { cloud, scan } = createCloud()
    cloud.isBroken = (region, project, requested) =>
      region === 'north' && project === broken && requested === '/compute/servers/detail'
    const { names, failed, unread } = await scan()
    assert.deepEqual(
      names,
      all.filter((name) => name !== `north ${broken}`),
    )
    assert.deepEqual(
      failed.map(({ region, tenant, hasServers }) => [region, tenant, hasServers]),
      [['north', broken, undefined]],
    )
    assert.equal(unread.size, 0)
  })

  test(`a service that fails from the beginning leaves the servers: ${broken}`, async () => {
    const { cloud, scan } = createCloud()
    cloud.isBroken = (region, project, requested) =>
      region === 'north' && project === broken && requested === '/network/v2.0/ports'
    const { names, failed, unread } = await scan()
    assert.deepEqual(names, all)
    assert.deepEqual(
      failed.map(({ region, error, hasServers }) => [region, error.call, hasServers]),
      [['north', 'network: list ports', true]],
    )
    assert.deepEqual([...unread.keys()], [`north ${broken}`])
    assert.ok(unread.get(`north ${broken}`)?.includes('nics'))
  })

  test(`a project without a token leaves all others: ${broken}`, async () => {
    const { cloud, scan } = createCloud()
    cloud.isBroken = (_region, project, path) => project === broken && path === 'login'
    const { names, failed } = await scan()
    assert.deepEqual(
      names,
      all.filter((name) => !name.endsWith(broken)),
    )
    assert.deepEqual(
      failed.map(({ region, tenant }) => [region, tenant]),
      [['', broken]],
    )
  })
}

test('a service that fails later keeps its last response, and the servers stay fresh', async () => {
  const { cloud, scan } = createCloud()
  await scan()
  cloud.isBroken = (_region, _project, path) => path === '/network/v2.0/ports'
  const { names, failed } = await scan()
  assert.deepEqual(names, all)
  assert.ok(failed.length === 6 && failed.every(({ hasServers }) => hasServers === true))
})

test('a region without an answer from any project fails as a scan, if it is all', async () => {
  const { cloud, scan } = createCloud()
  cloud.isBroken = (_region, _project, path) => path === '/compute/servers/detail'
  await assert.rejects(scan(), SourceError)
})

test('a server in a region or project that is not read is not reported as gone', async () => {
  for (const isScanned of [false, true]) {
    const { scan, get } = createCloud()
    if (isScanned) await scan()
    for (const [region, project] of [
      ['', ''],
      ['west', ''],
      ['', 'p1'],
      ['north', 'p4'],
    ] as const) {
      await assert.rejects(
        get('a', region, project),
        { kind: 'incomplete' },
        `${region} ${project}`,
      )
    }
  }
})

test('a list that is too long leaves servers as they are only if it lacks their rows', async () => {
  const { cloud, scan, session } = createCloud()
  const id = 'north p1'
  const listsWith = (subnet_id: string) => ({
    subnets: [
      { id: 'read', cidr: '10.0.0.0/24' },
      { id: 'cut', cidr: 'x'.repeat(19 * 2 ** 20) },
    ],
    ports: [{ id: 'port', device_id: id, fixed_ips: [{ subnet_id, ip_address: '10.0.0.1' }] }],
  })
  cloud.lists = listsWith('read')
  const { names, failed, unread } = await scan()
  assert.deepEqual([names, [...unread]], [all, []])
  assert.deepEqual(
    failed.map(({ region, error, hasServers }) => [region, error.kind, hasServers]),
    [['north', 'incomplete', true]],
  )
  const project = session.plans.get('north')?.find(({ projectId }) => projectId === 'p1')
  assert.ok(project)
  const server = { id, name: id, tenant_id: 'p1', status: 'ACTIVE', addresses: {} }
  const readAlone = async () => {
    const { present } = await readServers(session, project, [server], signal)
    return present[0]?.unread
  }
  assert.equal(await readAlone(), undefined)
  // The list of the scan is used again.
  cloud.lists = { ports: listsWith('cut').ports }
  assert.deepEqual(await readAlone(), ['nics'])
})
