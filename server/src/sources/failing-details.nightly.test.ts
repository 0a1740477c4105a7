import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { SourceError } from '../domain/sources/source-error.ts'
import type { Source } from '../domain/sources/source.ts'
import { uuidOf } from '../testing/fake-libvirt-connection.ts'
import type { FakeDomain } from '../testing/fake-libvirt-responses.ts'
import { startFakeLibvirt, type FakeFault } from '../testing/fake-libvirt.ts'
import { attach, detailsOf, statusesOf } from '../testing/inventory-world/attach-stand-in.ts'
import { conformanceContext } from '../testing/inventory-world/scan-source.ts'
import { suiteLifetime, type Lifetime } from '../testing/spawn-muster.ts'
import { createApi } from './incus/api.ts'
import { Memory } from './incus/memory.ts'
import { scanInstances } from './incus/scan.ts'
import { libvirtKind } from './libvirt/libvirt-kind.ts'
import { errorCodes, nameOfProcedure, procedures } from './libvirt/protocol.ts'
import type { HttpClient } from './shared/http-client.ts'

/** A daemon with two servers, in which a call for details can fail. */
interface StandIn {
  open(): Promise<Source>
  /** Makes both servers sleep. */
  suspend(): void
  /** Undefined for none. */
  break(call: string, fault: string | undefined): void
  /** Forgets what the process knows. */
  restart(): void
}

interface Daemon {
  readonly calls: readonly string[]
  readonly faults: readonly string[]
  create(lifetime: Lifetime): Promise<StandIn>
}

const libvirtCalls = [
  procedures.connectListAllNetworks,
  procedures.networkGetXmlDesc,
  procedures.networkGetDhcpLeases,
  procedures.connectListAllStoragePools,
  procedures.storagePoolGetXmlDesc,
  procedures.connectListAllNwfilters,
  procedures.nwfilterGetXmlDesc,
]
const libvirtFaults: Readonly<Record<string, FakeFault>> = {
  'an internal error': { error: 1 },
  'an error of another daemon': { error: errorCodes.rpc },
  'an error of the login': { error: errorCodes.authFailed },
  'a response that is cut': { body: Buffer.alloc(3) },
  'an endless response': { body: Buffer.alloc(9_000_000) },
}

const guest = (number: number, state: number): FakeDomain => ({
  uuid: uuidOf(number),
  name: `guest-${number}`,
  state,
  capacities: { vda: 2 ** 30 },
  inside: `<devices>
    <disk type='file' device='disk'><source file='/fast/${number}.img'/><target dev='vda'/></disk>
    <interface type='network'>
      <mac address='52:54:00:00:00:0${number}'/><source network='lan'/><filterref filter='web'/>
    </interface>
  </devices>`,
})

async function createLibvirt(lifetime: Lifetime): Promise<StandIn> {
  const fake = await startFakeLibvirt(lifetime, {
    domains: [guest(1, 1), guest(2, 1)],
    host: {
      networks: [
        {
          name: 'lan',
          uuid: uuidOf(50),
          xml: "<network><ip address='10.1.0.1' prefix='16'/></network>",
          leases: [1, 2].map((number) => ({
            mac: `52:54:00:00:00:0${number}`,
            address: `10.1.0.${number}`,
            expiry: 1,
          })),
        },
      ],
      pools: [
        {
          name: 'fast',
          uuid: uuidOf(60),
          xml: "<pool type='netfs'><target><path>/fast</path></target></pool>",
        },
      ],
      filters: [
        {
          name: 'web',
          uuid: uuidOf(70),
          xml: "<filter name='web'><filterref filter='clean-traffic'/><rule action='accept' direction='in'><tcp dstportstart='80'/></rule></filter>",
        },
      ],
    },
  })
  const settings = { address: fake.address, credentials: {}, options: {} }
  return {
    open: () => libvirtKind.open(settings, conformanceContext, AbortSignal.timeout(60_000)),
    suspend() {
      for (const number of [1, 2]) fake.domains.set(uuidOf(number), guest(number, 3))
    },
    break(call, fault) {
      fake.faults.clear()
      const procedure = libvirtCalls.find((one) => nameOfProcedure(one) === call)
      const response = libvirtFaults[fault ?? '']
      if (procedure && response) fake.faults.set(procedure, response)
    },
    restart() {},
  }
}

/** Paths of Incus, and the names of their requests. */
const incusCalls: Readonly<Record<string, string>> = {
  '/1.0/cluster/members': 'list the cluster members',
  '/1.0/resources': 'read the resources',
  '/1.0/networks': 'list the networks',
  '/1.0/images': 'list the images',
  '/1.0/storage-pools/fast': 'read a storage pool',
  '/1.0/storage-pools/fast/volumes/custom': 'list the storage volumes',
  '/1.0/instances/a/state': 'read the state of an instance',
}

async function createIncus(): Promise<StandIn> {
  let status = 'Running'
  let [broken, fault]: [string, string | undefined] = ['', undefined]
  let memory = new Memory('f')
  const disk = { type: 'disk', pool: 'fast' }
  const instance = (name: string, more: object) => ({
    name,
    status,
    location: 'one',
    config: {},
    expanded_config: { 'volatile.uuid': `u-${name}` },
    expanded_devices: {
      root: { ...disk, path: '/' },
      data: { ...disk, path: '/d', source: 'data' },
      eth0: { type: 'nic', network: 'lan' },
    },
    ...more,
  })
  const respond = (path: string): object => {
    const instances = [
      instance('a', { type: 'container' }),
      instance('b', { type: 'virtual-machine' }),
    ]
    const address = { family: 'inet', scope: 'global', address: '10.0.0.5' }
    const bodies: Readonly<Record<string, object>> = {
      '/1.0/projects': [{ name: 'default' }],
      '/1.0/instances?recursion=1': instances,
      '/1.0/instances': instances.map(({ name }) => `/1.0/instances/${name}`),
      '/1.0/cluster/members': [
        {
          server_name: 'one',
          status: 'Online',
          url: 'https://10.0.0.9:8443',
          failure_domain: 'f1',
        },
      ],
      '/1.0/resources': {
        cpu: { total: 6, sockets: [{ name: 'EPYC' }] },
        memory: { total: 2 ** 33 },
        system: { serial: 'SN1' },
      },
      '/1.0/networks': [
        {
          name: 'lan',
          managed: true,
          status: 'Created',
          config: { 'ipv4.address': '10.0.0.1/24' },
        },
      ],
      '/1.0/images': [{ fingerprint: 'f1', architecture: 'x86_64', size: 2 ** 20, properties: {} }],
      '/1.0/storage-pools/fast': { driver: 'zfs', config: { 'volume.size': '3GiB' } },
      '/1.0/storage-pools/fast/volumes/custom': [{ name: 'data', config: { size: '2GiB' } }],
    }
    return bodies[path] ?? { network: { eth0: { hwaddr: '', addresses: [address] } } }
  }
  const client: HttpClient = {
    async send({ url }) {
      const failure = url.pathname === broken ? fault : undefined
      if (failure === 'no answer') throw new SourceError('timeout', 'No response.')
      if (failure === 'reset') throw new SourceError('unreachable', 'Closed the connection.')
      const isWhole = url.pathname === '/1.0/instances' && url.searchParams.has('recursion')
      const metadata = respond(isWhole ? '/1.0/instances?recursion=1' : url.pathname)
      const body = failure === 'garbage' ? '{' : JSON.stringify({ type: 'sync', metadata })
      return { status: Number(failure) || 200, headers: {}, body: Buffer.from(body) }
    },
    close() {},
  }
  return {
    open: async () => ({
      title: 'Incus',
      scan: (signal) =>
        scanInstances({
          api: createApi(client, { url: new URL('https://daemon:8443') }, signal),
          daemon: {
            product: 'Incus',
            version: '6.0',
            serverName: 'one',
            isClustered: true,
            canFilter: true,
            fingerprint: 'f',
          },
          memory,
          projects: [],
          // Nothing is read from the cache.
          clock: () => Date.now() + (clock += 3_600_000),
        }),
      get: () => assert.fail('No server is missing.'),
      close: async () => {},
    }),
    suspend() {
      status = 'Frozen'
    },
    break(call, next) {
      broken = Object.keys(incusCalls).find((path) => incusCalls[path] === call) ?? ''
      fault = next
    },
    restart() {
      memory = new Memory('f')
    },
  }
}
let clock = 0

const daemons: Readonly<Record<string, Daemon>> = {
  libvirt: {
    calls: libvirtCalls.map(nameOfProcedure),
    faults: Object.keys(libvirtFaults),
    create: createLibvirt,
  },
  Incus: {
    calls: Object.values(incusCalls),
    faults: ['400', '401', '429', '500', 'garbage', 'no answer', 'reset'],
    create: createIncus,
  },
}
const moments = ['the first scan', 'the first scan after a restart', 'a later scan'] as const

for (const [name, { calls, faults, create }] of Object.entries(daemons)) {
  describe(`one failing call for details of ${name}`, { concurrency: 8 }, () => {
    const lifetime = suiteLifetime()
    let whole: ReturnType<typeof detailsOf>
    before(async () => {
      const { sync, servers } = attach(await create(lifetime))
      await sync()
      whole = detailsOf(servers())
      assert.equal(whole.length, 2)
    })

    for (const call of calls) {
      for (const fault of faults) {
        for (const moment of moments) {
          test(`${call}, ${fault}, ${moment}`, async () => {
            const standIn = await create(lifetime)
            const at = attach(standIn)
            if (moment !== 'the first scan') await at.sync()
            if (moment === 'the first scan after a restart') {
              standIn.restart()
              at.restart()
            }
            const check = () => {
              const { status, sync } = at.account()
              const about = JSON.stringify(sync)
              assert.equal(status, 'degraded', about)
              assert.deepEqual([sync.gone, sync.error], [0, ''], about)
              assert.ok(
                sync.warnings.some(({ text }) => text.includes(`${call} failed`)),
                about,
              )
              assert.deepEqual([at.servers().length, ...statusesOf(at.servers())], [2, 'suspend'])
              if (moment !== 'the first scan') assert.deepEqual(detailsOf(at.servers()), whole)
            }
            const versions = () => at.servers().map(({ update_version }) => update_version)
            standIn.suspend()
            standIn.break(call, fault)
            await at.sync()
            check()
            const written = versions()
            await at.sync(3)
            check()
            assert.deepEqual(versions(), written)
            standIn.break(call, undefined)
            await at.sync()
            assert.deepEqual([at.account().status, at.account().sync.warnings], ['connected', []])
            assert.deepEqual(detailsOf(at.servers()), whole)
            if (moment !== 'the first scan') assert.deepEqual(versions(), written)
          })
        }
      }
    }
  })
}
