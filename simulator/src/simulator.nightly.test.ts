import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Disk, IsolatedDevice, Nic, SecurityGroup } from '@muster/contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { ReportedFacts } from '@muster/server/source-port'
import { serverIdOf } from '@muster/server/source-port'
import { startTime, tickLength } from './lifecycle.ts'
import { createSimulator } from './simulator.ts'
import { simulatedAccounts } from './sites.ts'

const tenantsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => `tenant-${number}`)

const fleetOf = (servers: number, seed = 7, tenants = 12) =>
  createSimulator({ seed, servers, tenants: tenantsOf(tenants) })

/** The facts of a server, and its owner. */
type Facts = ReportedFacts & {
  readonly id: string
  readonly owner: string
  readonly account: string
}

function describeAll(fleet: ReturnType<typeof fleetOf>, index: number, time = startTime): Facts {
  return {
    ...fleet.describe(index, time),
    id: serverIdOf({ key: fleet.keyOf(index) }),
    owner: fleet.tenantOf(index).id,
    account: fleet.accountNameOf(index),
  }
}

const wholeFleet = (fleet: ReturnType<typeof fleetOf>, time = startTime): Facts[] =>
  Array.from({ length: fleet.servers }, (_, index) => describeAll(fleet, index, time))

const kindsOf = (facts: readonly Facts[], key: keyof Facts) =>
  new Set(facts.map((server) => server[key]))

/** The share of a fleet for which a condition holds. */
const shareOf = (facts: readonly Facts[], is: (server: Facts) => boolean) =>
  facts.filter(is).length / facts.length

const assertAbout = (share: number, wanted: number, what: string) =>
  assert.ok(share > wanted / 2 && share < wanted * 2, `${what}: ${share}, not about ${wanted}`)

const statuses =
  'running ready suspend unknown init schedule network disk start_deploy deploying start_start starting start_stop stopping start_suspend suspending resuming start_delete deleting start_migrate migrating rebuild_root change_flavor resize_disk sync_config sched_fail net_fail disk_fail deploy_fail start_fail stop_fail delete_fail'.split(
    ' ',
  )

const laterTimestamp = startTime + 40_000 * tickLength
const fleet = fleetOf(1_000)
const facts = wholeFleet(fleet)
const large = wholeFleet(fleetOf(20_000))

describe('a simulated fleet', () => {
  test('is identical for the same seed, in any order of generation', () => {
    const again = fleetOf(1_000)
    const backwards = facts.map((_, index) => describeAll(again, 999 - index)).toReversed()
    assert.equal(JSON.stringify(backwards), JSON.stringify(facts))
  })

  test('differs for another seed', () => {
    const other = wholeFleet(fleetOf(1_000, 8))
    assert.deepEqual(
      facts.filter(({ id }) => other.some((server) => server.id === id)),
      [],
    )
    assert.notDeepEqual(
      other.map(({ name, status }) => [name, status]),
      facts.map(({ name, status }) => [name, status]),
    )
  })

  test('has unique ids and addresses of servers, disks and NICs', () => {
    const unique = (texts: readonly string[]) => assert.equal(new Set(texts).size, texts.length)
    unique(large.map(({ id }) => id))
    unique(large.flatMap(({ disks_info = [] }) => disks_info.map(({ id = '' }) => id)))
    unique(large.flatMap(({ nics = [] }) => nics.map(({ mac = '' }) => mac)))
    unique(large.map(({ external_id = '' }) => external_id))
    for (const [index, { external_id }] of facts.entries()) {
      assert.equal(fleet.externalIdOf(index), external_id)
      assert.equal(fleet.indexOf(external_id ?? ''), index)
    }
    unique(facts.flatMap(({ nics = [] }) => nics.map((nic) => `${nic.network_id} ${nic.ip_addr}`)))
  })

  test('gives tenants equal shares, in order', () => {
    const owners = wholeFleet(fleetOf(1_200)).map(({ owner }) => owner)
    assert.deepEqual(
      owners,
      tenantsOf(12).flatMap((id) => Array.from({ length: 100 }, () => id)),
    )
    assert.deepEqual(
      wholeFleet(fleetOf(2)).map(({ owner }) => owner),
      ['tenant-0', 'tenant-6'],
    )
  })

  test('has every status in any thousand servers, before and after changes', () => {
    const later = wholeFleet(fleet, laterTimestamp)
    for (const some of [facts, later, large.slice(4_321, 5_321)]) {
      assert.deepEqual(kindsOf(some, 'status'), new Set(statuses))
      assertAbout(
        shareOf(some, ({ status }) => status === 'running'),
        0.65,
        'running',
      )
      assertAbout(
        shareOf(some, ({ status }) => status === 'ready'),
        0.2,
        'ready',
      )
    }
  })

  test('has the variety of a real fleet', () => {
    for (const brand of ['OneCloud', 'VMware', 'OpenStack', 'Aws', 'Azure', 'Google', 'Aliyun']) {
      assert.ok(kindsOf(facts, 'brand').has(brand), brand)
    }
    assert.deepEqual(
      new Set(facts.map(({ disks_info = [] }) => disks_info.length)),
      new Set([1, 2, 3, 4, 5]),
    )
    assert.deepEqual(new Set(facts.map(({ nics = [] }) => nics.length)), new Set([1, 2, 3]))
    const shares: Readonly<Record<string, readonly [number, (server: Facts) => boolean]>> = {
      ipv6: [1 / 3, ({ nics = [] }) => nics.some(({ ip6_addr }) => ip6_addr !== '')],
      eip: [0.17, ({ eip }) => eip !== ''],
      'shared address': [0.02, ({ virtual_ips }) => virtual_ips !== ''],
      gpu: [0.02, ({ is_gpu = false }) => is_gpu],
      device: [0.008, ({ isolated_devices = [] }) => isolated_devices.length > 0],
      prepaid: [0.2, ({ billing_type }) => billing_type === 'prepaid'],
      expired: [0.024, ({ expired_at }) => (expired_at ?? '9') < new Date(startTime).toISOString()],
      windows: [0.1, ({ os_type }) => os_type === 'Windows'],
      'delete protection': [0.15, ({ disable_delete = false }) => disable_delete],
      'forced group': [0.1, ({ adminGroup }) => adminGroup !== undefined],
      'scaling group': [0.03, ({ scaling_group_id }) => scaling_group_id !== ''],
      'backup host': [0.007, ({ backup_host_id }) => backup_host_id !== ''],
      'platform’s own': [0.004, ({ is_system = false }) => is_system],
      'not only ASCII': [0.06, ({ name }) => /[^ -~]/.test(name)],
    }
    for (const [what, [wanted, is]] of Object.entries(shares)) {
      assertAbout(shareOf(large, is), wanted, what)
    }
    const gone = large.filter((_, index) => fleetOf(20_000).isGone(index))
    assertAbout(gone.length / large.length, 0.01, 'gone')
    assert.ok(new Set(facts.map(({ owner, name }) => `${owner} ${name}`)).size < 1_000)
    assert.ok(kindsOf(large, 'created_at').size < large.length - 100, 'no two made together')
  })

  test('has no server in a recycle bin, which is Muster’s own', () => {
    for (const server of large) {
      assert.ok(!('pending_deleted' in server) && !('auto_delete_at' in server))
    }
  })

  test('is marked as emulated', () => {
    assert.deepEqual([...kindsOf(facts, 'is_emulated')], [true])
  })

  test('matches the contract in nested fields, at any time', () => {
    const parts: readonly [TSchema, (server: Facts) => readonly unknown[]][] = [
      [Disk, ({ disks_info = [] }) => disks_info],
      [Nic, ({ nics = [] }) => nics.map(({ mask: _mask, network: _name, ...nic }) => nic)],
      [IsolatedDevice, ({ isolated_devices = [] }) => isolated_devices],
      [SecurityGroup, ({ secgroups = [] }) => secgroups],
    ]
    for (const [schema, of] of parts) {
      const items = large.flatMap(of)
      assert.ok(items.length > 0)
      assert.deepEqual(items.filter((item) => !Value.Check(schema, item)).slice(0, 1), [])
    }
    const moments = ['created_at', 'updated_at', 'expired_at'] as const
    for (const server of [...facts, ...wholeFleet(fleet, laterTimestamp)]) {
      for (const key of moments) {
        assert.match(
          server[key] ?? '2026-01-01T00:00:00.000000Z',
          /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{6}Z$/,
        )
      }
      assert.ok((server.updated_at ?? '') >= (server.created_at ?? ''), server.id)
    }
  })

  test('is consistent: brand and hypervisor, region and brand, host and zone', () => {
    const goesWith = (key: keyof Facts, other: keyof Facts) => {
      const pairs = new Map<unknown, unknown>()
      for (const server of large) {
        if (server[key] === '') continue
        const known = pairs.get(server[key]) ?? server[other]
        assert.equal(server[other], known, `one ${key} has two of ${other}`)
        pairs.set(server[key], known)
      }
      assert.ok(pairs.size > 1)
    }
    for (const key of ['hypervisor', 'cloud_env', 'environment', 'host_type'] as const) {
      goesWith('brand', key)
    }
    for (const key of ['brand', 'account', 'region', 'region_ext_id'] as const) {
      goesWith('cloudregion_id', key)
    }
    for (const key of ['zone', 'cloudregion_id'] as const) goesWith('zone_id', key)
    for (const key of ['host', 'host_sn', 'host_status', 'zone_id'] as const)
      goesWith('host_id', key)
    goesWith('account', 'brand')
    const names = simulatedAccounts(7).map(({ name }) => name)
    assert.deepEqual(kindsOf(large, 'account'), new Set(names))
    const onHosts = large.filter(({ host_id }) => host_id !== '')
    const perHost = onHosts.length / kindsOf(onHosts, 'host_id').size
    assertAbout(perHost, 50, 'servers a host')
  })

  test('has NICs in the VPC of the server', () => {
    for (const { nics = [], vpc_id } of large) {
      assert.deepEqual(new Set(nics.map((nic) => nic.vpc_id)), new Set([vpc_id]))
    }
  })

  test('takes about 3.7 kB per server', () => {
    const bytes = facts.reduce((sum, server) => sum + JSON.stringify(server).length, 0)
    // Muster derives some 900 bytes more.
    assertAbout(bytes / facts.length, 3_000, 'bytes')
  })
})

describe('changes of a simulated fleet', () => {
  const now = laterTimestamp

  const changed = (some: ReturnType<typeof fleetOf>, from: number, to: number) =>
    [...some.changedBetween(from, to)].toSorted((a, b) => a - b)

  test('are exactly those reported between two times', () => {
    const moments = [now, now + tickLength, now + 2 * tickLength, now + 60 * tickLength]
    for (const [at, from] of moments.slice(0, -1).entries()) {
      const to = moments[at + 1] ?? 0
      const told = changed(fleet, from, to)
      const [before, after] = [wholeFleet(fleet, from), wholeFleet(fleet, to)]
      const isDifferent = (index: number) =>
        JSON.stringify(after[index]) !== JSON.stringify(before[index])
      const there = after.map((_, index) => index).filter((index) => !fleet.isGone(index, to))
      assert.deepEqual(
        told.filter((index) => !fleet.isGone(index, to)),
        there.filter(isDifferent),
      )
      const left = after
        .map((_, index) => index)
        .filter((index) => fleet.isGone(index, to) && !fleet.isGone(index, from))
      assert.deepEqual(
        left.filter((index) => !told.includes(index)),
        [],
      )
    }
    assert.deepEqual(changed(fleet, now, now), [])
    assert.deepEqual(changed(fleet, now, now + tickLength - 1), [])
  })

  test('are the same in one interval or in several', () => {
    const to = now + 30 * tickLength
    assert.deepEqual(changed(fleetOf(1_000), now, to), changed(fleet, now, to))
    const steps = Array.from({ length: 30 }, (_, step) =>
      changed(fleet, now + step * tickLength, now + (step + 1) * tickLength),
    )
    assert.deepEqual(
      new Set(steps.flat().toSorted((a, b) => a - b)),
      new Set(changed(fleet, now, to)),
    )
  })

  test('are few at a time, about fifty in a large fleet', () => {
    for (const [servers, least, most] of [
      [10, 0.5, 3],
      [1_000, 1, 4],
      [1_000_000, 25, 75],
    ] as const) {
      const some = fleetOf(servers)
      const ticks = 200
      let count = 0
      for (let tick = 0; tick < ticks; tick += 1) {
        const from = now + tick * tickLength
        count += changed(some, from, from + tickLength).length
      }
      const average = count / ticks
      assert.ok(average >= least && average <= most, `${servers}: ${average}`)
    }
  })

  test('affect many fields and all servers', () => {
    const day = 86_400_000
    const [before, after] = [wholeFleet(fleet, now), wholeFleet(fleet, now + day)]
    const keys = new Set<string>()
    for (const [index, server] of after.entries()) {
      const old = before[index]
      assert.equal(old?.id, server.id)
      assert.notEqual(old?.updated_at, server.updated_at)
      for (const key of Object.keys(server) as (keyof Facts)[]) {
        if (JSON.stringify(old?.[key]) !== JSON.stringify(server[key])) keys.add(key)
      }
    }
    for (const key of ['status', 'nics', 'vcpu_count', 'instance_type', 'tags']) {
      assert.ok(keys.has(key), key)
    }
    const comesAndGoes = after.filter(
      (_, index) => fleet.isGone(index, now) !== fleet.isGone(index, now + day),
    )
    assert.ok(comesAndGoes.length > 0)
  })

  test('include starting and stopping', () => {
    const seen = new Set<string>()
    for (let tick = 0; tick < 400; tick += 1) {
      const from = now + tick * tickLength
      for (const index of changed(fleet, from, from + tickLength)) {
        seen.add(fleet.describe(index, from + tickLength).status)
      }
    }
    for (const status of ['running', 'ready', 'starting', 'stopping', 'change_flavor']) {
      assert.ok(seen.has(status), status)
    }
  })

  test('do not begin before the start time', () => {
    assert.deepEqual(wholeFleet(fleet, 0), facts)
    assert.deepEqual(changed(fleet, 0, startTime), [])
  })
})
