import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startFakeLibvirt } from '../testing/fake-libvirt.ts'
import { lookupAttacks } from '../testing/hostile-lookups.ts'
import {
  startHostileEc2,
  startHostileIncus,
  startHostileNova,
  startHostileVCenter,
  type Attack,
  type HostileServer,
  type HostileSource,
} from '../testing/hostile-sources.ts'
import type { ScanOrder, ScanResult } from '../testing/scan-apart.ts'
import { suiteLifetime, type Lifetime } from '../testing/spawn-muster.ts'
import { nameOfProcedure, procedures } from './libvirt/protocol.ts'
import { createXdrWriter } from './libvirt/xdr.ts'

/** Megabytes, over all cases of a source together. */
const maxGrowth = 100

const attacks: readonly Attack[] = [
  'endless body',
  'endless elements',
  'endless headers',
  'bytes one by one',
  'gzip bomb',
  'deep nesting',
  'million elements',
  'repeated pages',
]

const plain: readonly HostileServer[] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
const manyTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`k${number}`, 'v']))
/** Servers besides the plain ones, which must be listed all the same. */
const oddities: Readonly<Record<string, readonly HostileServer[]>> = {
  'one huge server': [{ name: 'odd', description: 'x'.repeat(6_000_000) }],
  'a huge set of tags': [{ name: 'odd', tags: manyTags(60_000) }],
  'long texts': ['odd', 'odd2', 'odd3'].map((name) => ({
    name,
    description: 'ü'.repeat(400_000),
    tags: { text: 'x'.repeat(400_000) },
  })),
}

/** A process that scans. */
function startScanner(lifetime: Lifetime) {
  const program = join(import.meta.dirname, '../testing/scan-apart.ts')
  const child = fork(program, { execArgv: ['--expose-gc'] })
  lifetime.after(() => child.kill())
  return async (order: ScanOrder): Promise<ScanResult> => {
    child.send(order)
    const [result] = (await once(child, 'message')) as [ScanResult]
    return result
  }
}

const plainNames = plain.map(({ name }) => name)

/** By turns of XML and of JSON. */
const starts = [startHostileEc2, startHostileNova, startHostileVCenter, startHostileIncus]
for (const start of starts) {
  describe(`hostile responses: ${start.name.replace('startHostile', '')}`, () => {
    const lifetime = suiteLifetime()
    let opened:
      | { source: HostileSource; scan: (isWatch?: boolean) => Promise<ScanResult> }
      | undefined

    async function open() {
      if (opened) return opened
      const source = await start(lifetime)
      const scanner = startScanner(lifetime)
      const { provider, settings } = source
      const scan = (isWatch = false) => scanner({ provider, settings, isWatch })
      source.servers = plain
      const { names, error } = await scan()
      assert.deepEqual([names, error], [plainNames, ''])
      return (opened = { source, scan })
    }

    for (const attack of attacks) {
      test(attack, async (context) => {
        const { source, scan } = await open()
        // Incus has no pages.
        if (attack === 'repeated pages' && !source.hasPages) return
        // All use the same client, and this one takes until the time limit.
        if (attack === 'bytes one by one' && start !== startHostileIncus) return
        source.servers = plain
        source.attack = attack
        const { error, growth } = await scan()
        source.attack = 'nothing'
        assert.match(error, attack === 'bytes one by one' ? /no response within|GET/ : source.call)
        assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
        context.diagnostic(`${growth} MB: ${error}`)
      })
    }

    /** Endless pages take until the budget is used, so that each is measured in a new process. */
    async function attackLookup(
      source: HostileSource,
      shared: () => Promise<ScanResult>,
      target: string,
      attack: (typeof lookupAttacks)[number],
    ): Promise<ScanResult> {
      const { provider, settings } = source
      const scanner = attack === 'endless pages' ? startScanner(lifetime) : undefined
      const scan = scanner ? () => scanner({ provider, settings, isWatch: false }) : shared
      if (scanner) await scan()
      Object.assign(source, { attack, target })
      try {
        return await scan()
      } finally {
        Object.assign(source, { attack: 'nothing', target: '' })
      }
    }

    for (const attack of lookupAttacks) {
      test(`other lists: ${attack}`, async (context) => {
        const { source, scan } = await open()
        source.servers = plain
        for (const target of source.lookups) {
          // Without pages there is only one response.
          const hasPages = start !== startHostileIncus && target !== 'DescribeAvailabilityZones'
          if (attack === 'endless pages' && !hasPages) continue
          const { names, error, failures, growth } = await attackLookup(
            source,
            scan,
            target,
            attack,
          )
          const about = `${target}: ${growth} MB, ${[error, ...failures].join('; ') || 'no error'}`
          context.diagnostic(about)
          if (error === '' && failures.length === 0) assert.deepEqual(names, plainNames, about)
          // An item with many parts is no error: the parts are not used.
          if (attack !== 'a wide item') assert.notDeepEqual([error, ...failures], [''], about)
          assert.ok(growth <= maxGrowth, about)
        }
      })
    }

    if (start === startHostileVCenter || start === startHostileIncus) {
      test('events without end', async (context) => {
        const { source, scan } = await open()
        source.attack = start === startHostileVCenter ? 'endless body' : 'nothing'
        const { error, growth } = await scan(true)
        source.attack = 'nothing'
        assert.match(error, /WaitForUpdatesEx|cannot be reached|stream of events/)
        assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
        context.diagnostic(`${growth} MB: ${error}`)
      })
    }

    for (const [what, odd] of Object.entries(oddities)) {
      test(what, async (context) => {
        const { source, scan } = await open()
        source.servers = [...plain, ...odd]
        const { names, unreadable, cut, error, growth } = await scan()
        assert.equal(error, '')
        assert.deepEqual(
          plainNames.filter((name) => !names.includes(name)),
          [],
        )
        // None is stored in part without a word.
        assert.equal(new Set([...cut, ...unreadable]).size, odd.length)
        assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
        context.diagnostic(`${growth} MB`)
      })
    }
  })
}

describe('hostile responses: libvirt', () => {
  const lifetime = suiteLifetime()
  const domain = (number: number, inside = '') => ({
    uuid: `00000000-0000-4000-8000-00000000000${number}`,
    name: `d${number}`,
    inside,
  })
  const names = ['d1', 'd2']
  let opened:
    | {
        fake: Awaited<ReturnType<typeof startFakeLibvirt>>
        scan: (isWatch?: boolean) => Promise<ScanResult>
      }
    | undefined

  async function open() {
    if (opened) return opened
    const fake = await startFakeLibvirt(lifetime, { domains: [domain(1), domain(2)] })
    return (opened = { fake, scan: await startScans(fake.address) })
  }

  async function startScans(address: string) {
    const scanner = startScanner(lifetime)
    const settings = { address, credentials: {}, options: {} }
    const scan = (isWatch = false) => scanner({ provider: 'OneCloud', settings, isWatch })
    const first = await scan()
    assert.deepEqual([first.names, first.error], [names, ''])
    return scan
  }

  const insides: Readonly<Record<string, string>> = {
    'deep nesting': '<x>'.repeat(500_000),
    'a million elements': '<x/>'.repeat(1_000_000),
    'a million attributes': `<x ${Array.from({ length: 500_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    'a huge text': `<description>${'x'.repeat(7_000_000)}</description>`,
    'a huge message': `<description>${'x'.repeat(30_000_000)}</description>`,
    'a long text': `<description>${'x'.repeat(1_000_000)}</description>`,
    entities: `<description>${'&amp;'.repeat(800_000)}</description>`,
  }
  for (const [what, inside] of Object.entries(insides)) {
    test(`one domain with ${what}`, async (context) => {
      const { fake, scan } = await open()
      fake.domains.set(domain(3).uuid, domain(3, inside))
      const { names: read, unreadable, cut, error, growth } = await scan()
      fake.domains.delete(domain(3).uuid)
      assert.equal(error, '')
      assert.deepEqual(
        names.filter((name) => !read.includes(name)),
        [],
      )
      assert.deepEqual([...unreadable, ...cut], ['d3'])
      assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
      context.diagnostic(`${growth} MB`)
    })
  }

  const lists: Readonly<Record<string, Buffer>> = {
    'too long': Buffer.alloc(30_000_000),
    'of impossible length': createXdrWriter().uint(16_000).finish(),
    'of long names': createXdrWriter().uint(1).string('x'.repeat(1_000_000)).finish(),
  }
  for (const [what, body] of Object.entries(lists)) {
    test(`a list that is ${what}`, async (context) => {
      const { fake, scan } = await open()
      fake.faults.set(procedures.connectListAllDomains, { body })
      const { error, growth } = await scan()
      fake.faults.delete(procedures.connectListAllDomains)
      assert.match(error, /connectListAllDomains/)
      assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
      context.diagnostic(`${growth} MB: ${error}`)
    })
  }

  const text = (value: string) => createXdrWriter().string(value).finish()
  const handles = (count: number, length: number) => {
    const writer = createXdrWriter().uint(count)
    for (let at = 0; at < count; at += 1) {
      writer.string(`${at}-`.padEnd(length, 'x')).fixed(Buffer.alloc(16, at))
    }
    return writer.uint(count).finish()
  }
  const leasesBody = (count: number) => {
    const leases = createXdrWriter().uint(count)
    for (let at = 0; at < count; at += 1) {
      leases.string('if').hyper(1n).int(0)
      leases.optional(`mac-${at}`, (mac) => leases.string(mac))
      leases
        .optional(undefined, () => {})
        .string(`10.0.0.${at}`)
        .uint(24)
      for (let left = 0; left < 2; left += 1) leases.optional(undefined, () => {})
    }
    return leases.uint(count).finish()
  }
  const reservations = (count: number) => {
    const hosts = Array.from(
      { length: count },
      (_, at) => `<host mac='${at}' ip='${'x'.repeat(40)}${at}'/>`,
    )
    return `<network><ip address='10.0.0.1'><dhcp>${hosts.join('')}</dhcp></ip></network>`
  }
  /** Some exceed a limit, and the others are as long as the limits allow. */
  const descriptions: Readonly<Record<string, readonly [xml: string, leases: number]>> = {
    'deep nesting': ['<x>'.repeat(500_000), 60_000],
    'a million elements': [`<network>${'<x/>'.repeat(1_000_000)}</network>`, 60_000],
    'too many reservations': [reservations(40_000), 60_000],
    'many reservations': [reservations(3_000), 15_000],
    'many elements': [`<network>${'<x/>'.repeat(19_000)}</network>`, 15_000],
    'a long text': [`<network><x>${'x'.repeat(260_000)}</x></network>`, 15_000],
  }
  const { connectListAllNetworks, connectListAllStoragePools, connectListAllNwfilters } = procedures
  const hostLists = [
    [connectListAllNetworks, procedures.networkGetXmlDesc],
    [connectListAllStoragePools, procedures.storagePoolGetXmlDesc],
    [connectListAllNwfilters, procedures.nwfilterGetXmlDesc],
  ] as const
  for (const [list, description] of hostLists) {
    for (const [what, [xml, leases]] of Object.entries(descriptions)) {
      test(`${nameOfProcedure(list)} has many entries with ${what}`, async (context) => {
        const { fake } = await open()
        // Each uses the budget up, so that each is measured in a new process.
        const scan = await startScans(fake.address)
        fake.faults.set(list, { body: handles(100, 1_000) })
        fake.faults.set(description, { body: text(xml) })
        fake.faults.set(procedures.networkGetDhcpLeases, { body: leasesBody(leases) })
        const { names: read, error, failures, growth } = await scan()
        fake.faults.clear()
        const about = `${growth} MB: ${[error, ...failures].join('; ')}`
        assert.deepEqual([read, error], [names, ''], about)
        // The others are left out with a word.
        if (leases === 60_000) assert.ok(failures.length > 0, about)
        assert.ok(growth <= maxGrowth, about)
        context.diagnostic(about)
      })
    }
  }

  test('events without end', async (context) => {
    const { fake, scan } = await open()
    // The connection of the last scan may still be open.
    const { ever } = fake.connections()
    const result = scan(true)
    await eventually('the source is contacted again', () => fake.connections().ever !== ever)
    for (let count = 0; count < 5; count += 1) {
      fake.ping(Buffer.alloc(30_000_000))
      await pause(200)
    }
    const { error, growth } = await result
    assert.match(error, /an event of more than/)
    assert.ok(growth <= maxGrowth, `it grew by ${growth} MB`)
    context.diagnostic(`${growth} MB: ${error}`)
  })
})
