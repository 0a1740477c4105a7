import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { describe, test } from 'node:test'
import { SourceError } from '@muster/server/source-port'
import type { ReportedServer, SourceUpdate, SourceSettings } from '@muster/server/source-port'
import {
  conformanceContext,
  scanAll,
  testReading,
  withSource,
  getReadable,
} from '@muster/server/testing/source-conformance'
import { scanResources, type ScannedResources } from '@muster/server/testing/resource-conformance'
import { startTime, tickLength } from './lifecycle.ts'
import { openSimulator } from './open-simulator.ts'
import { simulatorKind } from './simulator-kind.ts'
import { readSettings } from './simulator-settings.ts'
import { createSimulator } from './simulator.ts'
import { simulatedAccounts } from './sites.ts'
import { referTo } from '@muster/server/testing/server-reference'

const time = startTime + 40_000 * tickLength
const seed = 7
const tenants = ['aaaaaaaa-1', 'bbbbbbbb-2', 'cccccccc-3']
const signal = AbortSignal.timeout(60_000)

const settingsOf = (options: SourceSettings['options']): SourceSettings => ({
  address: '',
  credentials: {},
  options,
})
const optionsOf = (servers: number, cloud_account?: string) => ({
  servers,
  seed,
  tenants,
  ...(cloud_account !== undefined && { cloud_account }),
})

/** The kind with a fixed clock. */
const stillKind = {
  ...simulatorKind,
  open: (settings: SourceSettings, _world: unknown, ending: AbortSignal) =>
    simulatorKind.open(settings, { ...conformanceContext, clock: () => time }, ending),
}

const scan = (options: SourceSettings['options']) =>
  withSource(stillKind, settingsOf(options), scanAll)
const numberOf = ({ key }: ReportedServer) => Number(key.at(-1))

for (const [what, account] of [
  ['all clouds', undefined],
  // The account of the server that can be unreadable.
  ['one account', createSimulator({ seed, servers: 300, tenants }).accountNameOf(0)],
] as const) {
  describe(`conformance: ${what} of a simulator`, () => {
    testReading(stillKind, () => ({
      settings: settingsOf(optionsOf(300, account)),
      breakOne: async () => ({
        settings: settingsOf({ ...optionsOf(300, account), unreadable: 1 }),
        repair: async () => {},
      }),
    }))
  })
}

describe('a simulator as a source', () => {
  test('a scan reports existing servers, and none that are gone', async () => {
    const servers = 1_200
    const simulator = createSimulator({ seed, servers, tenants })
    const numbers = Array.from({ length: servers }, (_, index) => index)
    const there = numbers.filter((index) => !simulator.isGone(index, time))
    assert.ok(there.length < servers)
    const seen = [...(await scan(optionsOf(servers))).values()]
    assert.deepEqual(seen.map(numberOf), there)
    for (const { facts, tenant, key } of seen) {
      assert.equal(facts.is_emulated, true)
      assert.ok(tenant && tenants.includes(tenant.id))
      assert.deepEqual(key.slice(0, 2), ['simulator', String(seed)])
    }
  })

  test('each server belongs to exactly one account of its cloud', async () => {
    const all = await scan(optionsOf(1_200))
    const parts = new Map<string, ReportedServer>()
    for (const { name } of simulatedAccounts(seed)) {
      const part = await scan(optionsOf(1_200, name))
      for (const [id, server] of part) {
        assert.ok(!parts.has(id))
        assert.ok(server.tenant?.name.startsWith(`${name}/`))
        parts.set(id, server)
      }
      const providers = new Set([...part.values()].map(({ facts }) => facts.provider))
      assert.equal(providers.size, 1)
    }
    assert.deepEqual(parts, all)
  })

  test('each host, network, region and zone belongs to one account', async () => {
    const resourcesOf = (account?: string) =>
      withSource(stillKind, settingsOf(optionsOf(1_200, account)), (source) =>
        scanResources(source, signal),
      )
    const all = await resourcesOf()
    const parts: ScannedResources[] = []
    for (const { name } of simulatedAccounts(seed)) parts.push(await resourcesOf(name))
    for (const kind of ['hosts', 'networks', 'cloudregions', 'zones'] as const) {
      const ids = parts.flatMap((part) => [...part[kind].keys()])
      assert.equal(new Set(ids).size, ids.length)
      assert.deepEqual(ids.sort(), [...all[kind].keys()].sort())
    }
    const own = parts.find(({ hosts }) => hosts.size > 0)
    const [host] = own?.hosts.values() ?? []
    assert.equal(own?.zones.get(host?.zone_id ?? '')?.name, host?.zone)
    assert.ok((host?.cpu_count ?? 0) > 0 && (host?.mem_size ?? 0) > 0)
    const addresses = [...all.hosts.values()].map(({ access_ip = '' }) => access_ip)
    assert.equal(new Set(addresses).size, addresses.length)
    for (const address of addresses) assert.doesNotMatch(address, /\.(0|255)$/)
  })

  test('the addresses of servers are in their networks', async () => {
    const { found, servers } = await withSource(
      stillKind,
      settingsOf(optionsOf(1_200)),
      async (source) => ({
        found: await scanResources(source, signal),
        servers: await scanAll(source),
      }),
    )
    for (const { facts } of servers.values()) {
      for (const { network_id = '', ip_addr = '', vpc_id, network: name } of facts.nics ?? []) {
        const network = found.networks.get(network_id)
        const { guest_ip_start = '', guest_ip_mask } = network ?? {}
        const list = new BlockList()
        list.addSubnet(guest_ip_start, guest_ip_mask ?? 0)
        assert.ok(list.check(ip_addr))
        assert.ok(network)
        assert.equal(network.vpc_id, vpc_id)
        assert.equal(network.cloudregion_id, facts.cloudregion_id)
        assert.equal(network.name, name)
      }
    }
  })

  test('no page of a large fleet has many hosts or networks', async () => {
    const large = Array.from({ length: 100 }, (_, number) => `tenant-${number}`)
    const source = openSimulator(
      readSettings({ options: { servers: 20_000, seed, tenants: large } }),
      { clock: () => time },
    )
    for await (const { resources = {} } of source.scan(signal)) {
      assert.ok((resources.hosts ?? []).length + (resources.networks ?? []).length < 200)
    }
  })

  test('has a fleet with its own tenants by default', async () => {
    const seen = [...(await scan({})).values()]
    assert.ok(seen.length > 900)
    assert.ok(new Set(seen.map(({ tenant }) => tenant?.id)).size > 1)
  })

  test('finds one server among a million, or none', async () => {
    const [account] = simulatedAccounts(seed)
    const settings = readSettings({ options: optionsOf(1_000_000, account?.name) })
    const simulator = createSimulator(settings)
    const source = openSimulator(settings, { clock: () => time })
    const last = Array.from({ length: 100 }, (_, back) => 999_999 - back).find(
      (index) => simulator.accountNameOf(index) === account?.name && !simulator.isGone(index, time),
    )
    const externalId = simulator.externalIdOf(last ?? -1)
    const found = await getReadable(source, referTo(externalId))
    assert.equal(found && numberOf(found), last)
    assert.equal(found?.facts.external_id, externalId)
    assert.equal(await source.get(referTo('nobody'), signal), undefined)
  })

  test('reports invalid settings', async () => {
    const problemsOf = (options: SourceSettings['options'], address = '') =>
      simulatorKind.check({ ...settingsOf(options), address }).map(({ path }) => path)
    assert.deepEqual(problemsOf({}), [])
    assert.deepEqual(problemsOf({}, 'https://example.org'), ['address'])
    assert.deepEqual(problemsOf({ servers: 0 }), ['options.servers'])
    assert.deepEqual(problemsOf({ servers: 3_000_000, seed: -1 }), [
      'options.servers',
      'options.seed',
    ])
    assert.deepEqual(problemsOf({ tenants: [] }), ['options.tenants'])
    assert.deepEqual(problemsOf({ action_delay: -1, action_failures: 101, action_hangs: -1 }), [
      'options.action_delay',
      'options.action_failures',
      'options.action_hangs',
    ])
    assert.deepEqual(problemsOf({ cloud_account: '' }), ['options.cloud_account'])
    await assert.rejects(scan({ cloud_account: 'aws' }), (error) => {
      assert.ok(error instanceof SourceError)
      assert.match(error.message, /Unknown simulated cloud account aws\. Known: .*aws-production/)
      return true
    })
  })
})

describe('watching a simulator', () => {
  const servers = 5_500

  /** Watches a source whose clock the test advances. */
  async function listen(cloudAccount?: string) {
    let now = time
    const settings = readSettings({ options: optionsOf(servers, cloudAccount) })
    const source = openSimulator(settings, { clock: () => now }, 1)
    const ending = new AbortController()
    const news = source.watch?.(ending.signal)[Symbol.asyncIterator]()
    assert.ok(news)
    assert.deepEqual((await news.next()).value, { present: [], gone: [] })
    return {
      source,
      end: () => ending.abort(),
      next: async () => (await news.next()).value as SourceUpdate,
      pass: (milliseconds: number) => (now += milliseconds),
    }
  }

  const simulator = createSimulator({ seed, servers, tenants })
  const gone = (numbers: readonly number[], at: number) =>
    numbers.filter((index) => simulator.isGone(index, at)).map(simulator.keyOf)

  test('reports changed servers, and nothing without changes', async () => {
    const { next, pass, end } = await listen()
    const pending = next()
    const now = pass(60_000)
    const changed = [...simulator.changedBetween(time, now)]
    const told = await pending
    assert.ok(told.present.length > 10)
    assert.deepEqual(
      told.present.map(numberOf),
      changed.filter((index) => !simulator.isGone(index, now)),
    )
    assert.deepEqual(told.gone, gone(changed, now))
    for (const server of told.present) {
      assert.deepEqual(server.facts, simulator.describe(numberOf(server), now))
    }
    const [later, silence] = [next(), new Promise((resolve) => setTimeout(resolve, 30, 'silence'))]
    assert.equal(await Promise.race([later, silence]), 'silence')
    end()
    await assert.rejects(later)
  })

  test('reports servers of the selected account only', async () => {
    const { next, pass, end } = await listen('aws-production')
    pass(600_000)
    const { present } = await next()
    assert.ok(present.length > 0)
    for (const { tenant } of present) assert.match(tenant?.name ?? '', /^aws-production\//)
    end()
  })

  test('reports only some servers after a long pause, in their current state', async () => {
    const { next, pass, end } = await listen()
    const now = pass(30 * 86_400_000)
    const told = [await next(), await next()]
    const count = told.reduce((sum, { present, gone }) => sum + present.length + gone.length, 0)
    assert.ok(count > 500 && count < 4_000, String(count))
    const numbers = new Set(told.flatMap(({ present }) => present.map(numberOf)))
    // No server stays in a transitional status.
    for (const index of simulator.changedBetween(time, time + 5_000)) {
      assert.ok(numbers.has(index) || simulator.isGone(index, now))
    }
    for (const server of told.flatMap(({ present }) => present)) {
      assert.deepEqual(server.facts, simulator.describe(numberOf(server), now))
    }
    end()
  })
})
