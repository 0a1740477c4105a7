import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Check, CheckViolation, OperatingSystem } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

const day = 86_400_000

onEngineOfLane('built-in checks', (engine) => {
  let fleet: InventoryWorld
  let checks: ReadonlyMap<string, Check>
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { db, commit } = fleet.platform.database
    // The clock moves by more than the life of a token.
    await commit([
      db
        .updateTable('tokens')
        .set({ expires_at: fleet.now() + 99 * day })
        .compile(),
    ])
    await fleet.platform.checks.evaluateChecks()
    checks = await readChecks(fleet.callers.admin)
  })
  after(() => fleet.platform.close())

  async function readChecks(caller: InventoryCaller) {
    const page = await caller.get<{ checks: Check[] }>('listChecks', { query: 'limit=100' })
    return new Map(page.checks.map((check) => [check.name, check]))
  }

  const idOf = (name: string) => checks.get(name)?.id ?? assert.fail(`no check ${name}`)

  async function evaluate(later = 0): Promise<void> {
    fleet.skip(later)
    fleet.tick()
    await fleet.platform.checks.evaluateChecks()
  }

  async function openOf(name: string, caller: InventoryCaller = fleet.callers.admin) {
    const { violations } = await caller.get<{ violations: CheckViolation[] }>(
      'listCheckViolations',
      { path: { id: idOf(name) }, query: 'is_open=true&limit=100' },
    )
    return violations.map(({ subject_id }) => subject_id)
  }

  /** A server that violates no check. */
  function healthy(): ServerFacts {
    return {
      ...fleet.samples.facts(),
      project_id: projectAt(fleet, 0).id,
      status: 'running',
      pending_deleted: false,
      os_name: 'Ubuntu 24.04',
      expired_at: null,
      nics: [],
      tags: { owner: 'mary' },
    }
  }

  test('are ten, and nobody violates one of an empty fleet', () => {
    assert.equal([...checks.values()].filter(({ built_in }) => built_in).length, 10)
    for (const { violations, evaluated_at, error, name } of checks.values()) {
      assert.deepEqual([violations, error], [0, ''], name)
      assert.notEqual(evaluated_at, null)
    }
  })

  const nic = (network_id: string, ip_addr: string): NonNullable<ServerFacts['nics']> => [
    { ip_addr, ip6_addr: '', mac: '', network_id, team_with: '', vpc_id: '', is_exit: false },
  ]

  const cases: readonly [string, Partial<ServerFacts>, number][] = [
    ['No owner tag', { tags: {} }, 0],
    ['Operating system past its end of life', { os_name: 'CentOS Linux 7 (64-bit)' }, 0],
    ['Operating system past its end of life', { os_name: 'Microsoft Windows Server 2012 R2' }, 0],
    ['Stopped for 30 days', { status: 'ready' }, 30 * day],
    ['Unknown for a day', { status: 'unknown' }, day],
    ['Expires within 7 days', { expired_at: timestamp(Date.now() + 5 * day) }, 0],
    ['Running in the recycle bin', { pending_deleted: true }, 0],
  ]
  for (const [name, fault, grace] of cases) {
    test(`"${name}" begins with ${JSON.stringify(fault)}, and ends`, async () => {
      const facts = healthy()
      await fleet.record([facts])
      await evaluate()
      assert.deepEqual(await openOf(name), [])
      const isRecycled = fault.pending_deleted === true
      await (isRecycled ? fleet.recycle([facts.id], true) : fleet.record([{ ...facts, ...fault }]))
      if (grace > 0) {
        await evaluate()
        assert.deepEqual(await openOf(name), [], 'during the grace time')
        fleet.skip(grace)
      }
      await evaluate()
      assert.deepEqual(await openOf(name), [facts.id])
      const others = [...checks.keys()].filter((other) => other !== name)
      for (const other of others) assert.deepEqual(await openOf(other), [], other)
      await (isRecycled ? fleet.recycle([facts.id], false) : fleet.record([facts]))
      await evaluate()
      assert.deepEqual(await openOf(name), [])
    })
  }

  test('are listed by a server that violates them, for callers who see its violations', async () => {
    const facts: ServerFacts = { ...healthy(), tags: {}, os_name: 'Debian GNU/Linux 9' }
    const other: ServerFacts = { ...healthy(), tags: {} }
    const binned: ServerFacts = { ...healthy() }
    await fleet.record([facts, other, binned])
    await fleet.recycle([binned.id], true)
    await evaluate()
    const namesFor = async (caller: InventoryCaller, id: string) => {
      const query = `violated_by=${id}&order_by=name&order=asc`
      const page = await caller.get<{ checks: Check[]; total: number }>('listChecks', { query })
      assert.equal(page.total, page.checks.length)
      return page.checks.map(({ name }) => name)
    }
    const both = ['No owner tag', 'Operating system past its end of life']
    const { admin, owner, viewer } = fleet.callers
    const stranger = await fleet.addCaller('project_owner', projectAt(fleet, 1))
    assert.deepEqual(await namesFor(admin, facts.id), both)
    assert.deepEqual(await namesFor(viewer, facts.id), both)
    assert.deepEqual(await namesFor(stranger, facts.id), [])
    assert.deepEqual(await namesFor(viewer, other.id), both.slice(0, 1))
    assert.deepEqual(await namesFor(owner, binned.id), ['Running in the recycle bin'])
    assert.deepEqual(await namesFor(viewer, binned.id), [])
    assert.deepEqual(await namesFor(admin, 'no-such-server'), [])
    await fleet.record([{ ...facts, tags: { owner: 'mary' } }])
    await evaluate()
    assert.deepEqual(await namesFor(viewer, facts.id), both.slice(1))
    await fleet.record([], [facts.id, other.id, binned.id])
    await evaluate()
    assert.deepEqual(await namesFor(admin, facts.id), [])
  })

  test('tell the end of support of an operating system as the check decides', async () => {
    const { viewer } = fleet.callers
    const find = async (query: string) =>
      (await viewer.get<{ operating_systems: OperatingSystem[] }>('getOperatingSystems', { query }))
        .operating_systems
    assert.deepEqual(await find(`os_name=${encodeURIComponent('CentOS Linux 7 (64-bit)')}`), [
      { name: 'CentOS', version: '7', supported_until: '2024-06-30', has_ended: true },
    ])
    assert.deepEqual(await find('os_name=Plan9'), [])
    const all = await find('')
    assert.ok(all.length > 20)
    assert.deepEqual(
      all.map(({ supported_until: until }) => until),
      all.map(({ supported_until: until }) => until).toSorted(),
    )
    const today = new Date(fleet.now()).toISOString().slice(0, 10)
    for (const { supported_until: until, has_ended, name, version } of all) {
      assert.equal(has_ended, until < today, `${name} ${version}`)
    }
  })

  test('"Duplicate address in a network" needs the same address and the same network', async () => {
    const name = 'Duplicate address in a network'
    const [first, second, third, fourth] = [healthy(), healthy(), healthy(), healthy()]
    await fleet.record([
      { ...first, nics: nic('net1', '10.0.0.7') },
      { ...second, nics: nic('net1', '10.0.0.7') },
      { ...third, nics: nic('net2', '10.0.0.7') },
      // It shares the address in one network, and the network with another address.
      { ...fourth, nics: [...nic('net1', '10.0.0.8'), ...nic('net3', '10.0.0.7')] },
    ])
    await evaluate(600_000)
    assert.deepEqual((await openOf(name)).toSorted(), [first.id, second.id].toSorted())
    await fleet.record([{ ...second, nics: nic('net1', '10.0.0.9') }])
    await evaluate(600_000)
    assert.deepEqual(await openOf(name), [])
    await fleet.record([], [first.id, second.id, third.id, fourth.id])
  })

  test('"Account failing or stale" is for those who see accounts', async () => {
    const name = 'Account failing or stale'
    const { admin, auditor, domainAdmin } = fleet.callers
    const { cloudaccount } = await admin.get<{ cloudaccount: { id: string } }>(
      'createCloudAccount',
      {
        body: {
          cloudaccount: {
            name: 'stale',
            provider: 'OneCloud',
            address: 'qemu+unix:///system?socket=/nowhere',
            project_id: projectAt(fleet, 0).id,
            mapping: [{ name: 'web-*', project_id: projectAt(fleet, 1).id }],
          },
        },
      },
    )
    const fail = (failures: number, warnings: string) =>
      fleet.platform.database.commit([
        fleet.platform.database.db
          .updateTable('account_syncs')
          .set({ failures, warnings, finished_at: fleet.now(), is_lost: 0 })
          .where('account_id', '=', cloudaccount.id)
          .compile(),
      ])
    await admin.get('disableCloudAccount', { path: { id: cloudaccount.id } })
    await evaluate()
    assert.deepEqual(await openOf(name), [], 'disabled')
    await fleet.platform.database.commit([
      fleet.platform.database.db.updateTable('cloudaccounts').set({ enabled: 1 }).compile(),
    ])
    const unreadable = [{ kind: 'unreadable', text: '1 server', count: 1, until: null }]
    await fail(3, JSON.stringify(unreadable))
    await evaluate()
    fleet.skip(900_000)
    await fail(3, JSON.stringify(unreadable))
    await evaluate()
    for (const check of [name, 'Unreadable servers']) {
      assert.deepEqual(await openOf(check), [cloudaccount.id])
      assert.deepEqual(await openOf(check, auditor), [cloudaccount.id])
      assert.deepEqual(await openOf(check, domainAdmin), [])
    }
    await fail(0, '[]')
    await evaluate()
    for (const check of [name, 'Unreadable servers']) assert.deepEqual(await openOf(check), [])

    const mapped = { ...healthy(), account_id: cloudaccount.id, name: 'web-1' }
    const unmapped = { ...healthy(), account_id: cloudaccount.id, name: 'other' }
    await fleet.record([mapped, unmapped])
    await evaluate()
    assert.deepEqual(await openOf('No project by rule'), [unmapped.id])
    await fleet.record([{ ...unmapped, name: 'web-2' }])
    await evaluate()
    assert.deepEqual(await openOf('No project by rule'), [])
  })

  test('can be switched off and made stricter by system administrators, and not deleted', async () => {
    const { admin, domainAdmin } = fleet.callers
    const at = { path: { id: idOf('No owner tag') } }
    await domainAdmin.fail('ForbiddenError', 'updateCheck', {
      ...at,
      body: { check: { enabled: false } },
    })
    const { fields } = await admin.fail('InputParameterError', 'updateCheck', {
      ...at,
      body: { check: { q: 'status:running' } },
    })
    assert.deepEqual(
      fields?.map(({ path }) => path),
      ['check.q'],
    )
    await admin.fail('ConflictError', 'deleteCheck', at)
    const untagged = { ...healthy(), tags: {} }
    await fleet.record([untagged])
    await evaluate()
    assert.ok((await openOf('No owner tag')).includes(untagged.id))
    const { check } = await admin.get<{ check: Check }>('updateCheck', {
      ...at,
      body: { check: { enabled: false, severity: 'critical', grace: 60 } },
    })
    assert.deepEqual(
      [check.enabled, check.severity, check.grace, check.violations, check.evaluated_at],
      [false, 'critical', 60, 0, null],
    )
    await fleet.record([{ ...healthy(), tags: {} }])
    await evaluate()
    assert.deepEqual(await openOf('No owner tag'), [])
    await admin.get('updateCheck', { ...at, body: { check: { enabled: true, grace: 0 } } })
    await evaluate()
    const { violations } = await admin.get<{ violations: CheckViolation[] }>(
      'listCheckViolations',
      { ...at, query: `search=${untagged.id}&scope=system` },
    )
    assert.deepEqual(
      violations
        .filter(({ subject_id }) => subject_id === untagged.id)
        .map(({ until }) => until === null)
        .sort((a, b) => Number(a) - Number(b)),
      [false, true],
    )
  })

  test('a query that the list of servers refuses is refused with the same reason', async () => {
    const { admin } = fleet.callers
    const q = 'vcpu>=many'
    const list = await admin.fail('InputParameterError', 'listServers', { query: `q=${q}` })
    const create = await admin.fail('InputParameterError', 'createCheck', {
      body: { check: { name: 'wrong', q } },
    })
    assert.deepEqual(
      create.fields?.map(({ path, problem }) => [path, problem]),
      list.fields?.map(({ problem }) => ['check.q', problem]),
    )
  })
})
