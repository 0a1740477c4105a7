import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CloudAccount, EventDto, Server } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { domain, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** A period in seconds that no test waits for. */
const long = 3_600

onPostgresFirst('missing servers', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, engine)
  })

  /** A separate EC2 with the given number of servers in a region. */
  async function startEc2With(context: Parameters<typeof startFakeEc2>[0], count: number) {
    const ec2 = await startFakeEc2(context)
    add(ec2, count, newId())
    return ec2
  }
  function add({ instances }: FakeEc2, count: number, owner: string, region = 'eu-west-1'): void {
    for (let index = 1; index <= count; index += 1) {
      instances.set(`i-${region}-${index}`, { name: `${region} ${index}`, owner, region })
    }
  }
  function remove({ instances }: FakeEc2, ...numbers: readonly number[]) {
    const removed = [...instances].filter(([id]) =>
      numbers.some((number) => id.endsWith(`-${number}`)),
    )
    for (const [id] of removed) instances.delete(id)
    return () => removed.forEach(([id, instance]) => instances.set(id, instance))
  }
  const statusesOf = async (account: CloudAccount) =>
    (await at.servers(account)).map(({ name, status }) => `${name.split(' ').at(-1)} ${status}`)
  const warningsOf = ({ sync }: CloudAccount) =>
    sync.warnings.map(({ kind, count }) => [kind, count])
  const confirm = (id: string) => at.admin.call('confirmGoneServers', { path: { id } })

  test('in large numbers become unknown with a warning, and keep their data', async (context) => {
    const ec2 = await startEc2With(context, 5)
    const account = await at.attachEc2(ec2)
    assert.equal(account.disappearance_hold, null)
    const before = await at.servers(account)
    const tagged = before[0]?.id ?? ''
    const body = { metadata: { mine: 'kept' } }
    await at.admin.get('mergeServerMetadata', { path: { id: tagged }, body })

    const start = Date.now()
    const restore = remove(ec2, 1, 2, 3)
    const missed = await at.sync(account.id)
    assert.deepEqual([missed.sync.seen, missed.sync.gone, missed.sync.error], [2, 0, ''])
    assert.deepEqual([missed.status, missed.servers], ['connected', 5])
    assert.deepEqual(warningsOf(missed), [['missing', 3]])
    const [warning] = missed.sync.warnings
    assert.match(warning?.text ?? '', /^3 servers are suddenly missing .* removed at 20/)
    // 15 minutes, or at the third sync if that is later.
    assert.ok(Date.parse(warning?.until ?? '') >= start + 900_000)
    assert.deepEqual(await statusesOf(account), [
      '1 unknown',
      '2 unknown',
      '3 unknown',
      '4 running',
      '5 running',
    ])

    restore()
    assert.deepEqual(warningsOf(await at.sync(account.id)), [])
    const after = await at.servers(account)
    assert.deepEqual(
      after.map(({ id, status }) => [id, status]),
      before.map(({ id }) => [id, 'running']),
    )
    assert.equal((await at.server(tagged))?.metadata['user:mine'], 'kept')
    const history = await at.history(tagged)
    assert.deepEqual(
      history.filter(({ user_id }) => user_id === '').map(({ action }) => action),
      ['update', 'update', 'create'],
    )
  })

  test('are removed after three complete syncs and the configured time', async (context) => {
    const ec2 = await startEc2With(context, 4)
    const account = await at.attachEc2(ec2, { disappearance_hold: long })
    const restore = remove(ec2, 1, 2, 3, 4)
    for (let sync = 1; sync <= 4; sync += 1) {
      assert.deepEqual(warningsOf(await at.sync(account.id)), [['missing', 4]])
    }
    restore()
    remove(ec2, 2, 3, 4)
    assert.deepEqual(warningsOf(await at.sync(account.id)), [['missing', 3]])
    // The count is stored with the account; a change of the account restarts it.
    const changed = await at.update(account.id, { disappearance_hold: 0 })
    assert.equal(changed.disappearance_hold, 0)
    const synced = await at.synced(account.id, changed.sync.finished_at ?? '')
    assert.deepEqual([await statusesOf(account), warningsOf(synced)], [['1 running'], []])
  })

  test('are counted by consecutive syncs: a failed sync restarts the count', async (context) => {
    const ec2 = await startEc2With(context, 3)
    const account = await at.attachEc2(ec2, { disappearance_hold: 0 })
    remove(ec2, 1, 2, 3)
    await at.sync(account.id)
    await at.sync(account.id)
    ec2.misbehave = (_request, response) => {
      response.destroy()
      return true
    }
    await at.admin.get('syncCloudAccount', { path: { id: account.id } })
    const failed = await eventually('it fails', async () => {
      const shown = await at.show(account.id)
      return shown.status === 'disconnected' && shown
    })
    assert.deepEqual([failed.sync.warnings[0]?.count, failed.sync.warnings[0]?.until], [3, null])
    ec2.misbehave = undefined
    await at.sync(account.id)
    assert.equal((await at.sync(account.id)).servers, 3)
    assert.equal((await at.sync(account.id)).servers, 0)
  })

  test('are removed when an administrator confirms, and no others', async (context) => {
    const ec2 = await startEc2With(context, 6)
    const account = await at.attachEc2(ec2, { disappearance_hold: long })
    const { id } = account
    await at.admin.fail('InvalidStatusError', 'confirmGoneServers', { path: { id } })
    remove(ec2, 1, 2, 3, 4)
    await at.sync(id)
    assert.equal((await confirm(id)).status, 202)
    await eventually('they are gone', async () => (await at.show(id)).servers === 2)
    const shown = await eventually('no warning', async () => {
      const now = await at.show(id)
      return now.sync.state === 'idle' && now.sync.warnings.length === 0 && now
    })
    assert.deepEqual(
      [shown.status, await statusesOf(account)],
      ['connected', ['5 running', '6 running']],
    )
    await at.admin.fail('InvalidStatusError', 'confirmGoneServers', { path: { id } })
    // Servers that go missing later must be confirmed again.
    remove(ec2, 5, 6)
    assert.deepEqual(warningsOf(await at.sync(id)), [['missing', 2]])
    assert.deepEqual(warningsOf(await at.sync(id)), [['missing', 2]])
    const { events } = await at.admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_id=${id}&action=confirm&result=success`,
    })
    assert.deepEqual(
      events.map(({ changes }) => changes),
      [{ servers: [4, 0] }],
    )
    // And the account can be deleted as usual.
    await at.admin.get('deleteCloudAccount', { path: { id }, query: 'evict=true' })
    await eventually('it is gone', async () => (await at.servers(account)).length === 0)
  })

  test('in small numbers are removed at once, unless it is the last server', async (context) => {
    const ec2 = await startEc2With(context, 3)
    const account = await at.attachEc2(ec2)
    remove(ec2, 1)
    assert.equal((await at.sync(account.id)).sync.gone, 1)
    remove(ec2, 2)
    assert.equal((await at.sync(account.id)).sync.gone, 1)
    remove(ec2, 3)
    assert.deepEqual(warningsOf(await at.sync(account.id)), [['missing', 1]])
    assert.deepEqual(await statusesOf(account), ['3 unknown'])
  })

  test('go to another account that reports them, after the hold', async (context) => {
    const ec2 = await startEc2With(context, 4)
    ec2.regions = ['eu-west-1', 'us-east-1']
    const first = await at.attachEc2(ec2)
    const second = await at.attachEc2(ec2)
    const ids = (await at.servers(first)).map(({ id }) => id)
    await at.update(first.id, { options: { regions: ['us-east-1'] } })
    await at.sync(first.id)
    assert.deepEqual([(await at.servers(first)).length, (await at.servers(second)).length], [4, 0])
    await at.admin.get('confirmGoneServers', { path: { id: first.id } })
    const running = await eventually('the other has them', async () => {
      const servers = await at.servers(second)
      return servers.every(({ status }) => status === 'running') && servers.length === 4 && servers
    })
    assert.deepEqual(
      running.map(({ id }) => id),
      ids,
    )
    await eventually('no warning', async () => warningsOf(await at.show(first.id)).length === 0)
  })

  test('of a missing region are kept, and the account says what to do', async (context) => {
    const owner = newId()
    const ec2 = await startFakeEc2(context)
    ec2.regions = ['eu-west-1', 'us-east-1']
    add(ec2, 2, owner)
    add(ec2, 3, owner, 'us-east-1')
    const account = await at.attachEc2(ec2, { disappearance_hold: 0 })
    ec2.regions = ['eu-west-1']
    const shown = async () =>
      (await at.servers(account)).map(({ name, status }) => `${name} ${status}`)
    const stored = [
      'eu-west-1 1 running',
      'eu-west-1 2 running',
      'us-east-1 1 running',
      'us-east-1 2 running',
      'us-east-1 3 running',
    ]
    for (let sync = 1; sync <= 4; sync += 1) {
      const { sync: before } = await at.show(account.id)
      await at.admin.get('syncCloudAccount', { path: { id: account.id } })
      const failed = await eventually('it says so', async () => {
        const now = await at.show(account.id)
        return now.sync.state === 'idle' && now.sync.started_at !== before.started_at && now
      })
      const [warning] = failed.sync.warnings
      assert.match(warning?.text ?? '', /^Region us-east-1: .* no longer lists .* options\.regions/)
      assert.deepEqual([failed.status, failed.sync.error], ['degraded', ''])
      assert.deepEqual(warningsOf(failed), [['region', 3]])
      assert.deepEqual(await shown(), stored)
    }
    // Refreshing it alone reports it as missing, which changes nothing.
    const [, , lost] = await at.servers(account)
    const others = [...ec2.instances].filter(([, { region }]) => region === 'us-east-1')
    ec2.instances.delete(`i-us-east-1-${lost?.name.split(' ').at(-1)}`)
    await at.admin.get('syncServer', { path: { id: lost?.id ?? '' } })
    assert.deepEqual(await shown(), stored)
    for (const [id, instance] of others) ec2.instances.set(id, instance)
    // Back again, with the same data.
    ec2.regions = ['eu-west-1', 'us-east-1']
    const well = await at.sync(account.id)
    assert.deepEqual([well.status, well.sync.error], ['connected', ''])
    assert.ok((await shown()).every((server) => server.endsWith('running')))
    // A region removed by the administrator is no error: its servers are treated as missing.
    await at.update(account.id, { options: { regions: ['eu-west-1'] } })
    await eventually('they are held', async () => warningsOf(await at.show(account.id)).length > 0)
    await at.sync(account.id)
    await at.sync(account.id)
    assert.deepEqual(await shown(), stored.slice(0, 2))
  })

  test('that cannot be read become unknown, and the account says why', async () => {
    const simulated = (options: object) => ({ options: { servers: 9, seed: 77, ...options } })
    const { id } = await at.attach({ provider: 'Simulator', ...simulated({}) })
    const account = await at.synced(id)
    const before = await at.servers(account)
    const read = async () =>
      (await at.servers(account)).filter(({ metadata }) => metadata['sys:read_error'])
    await at.update(id, simulated({ unreadable: 1 }))
    const warned = await eventually('a warning', async () => {
      const shown = await at.show(id)
      return shown.sync.warnings.length > 0 && shown
    })
    const [odd, ...more] = await read()
    assert.ok(odd && more.length === 0)
    const known = before.find((server) => server.id === odd.id)
    assert.deepEqual(
      [odd.status, odd.name, odd.vcpu_count, odd.host_service_status],
      ['unknown', known?.name, known?.vcpu_count, known?.host_service_status],
    )
    const reason = odd.metadata['sys:read_error'] ?? ''
    assert.deepEqual(warned.sync.warnings, [
      {
        kind: 'unreadable',
        text: `1 server could not be read: ${odd.name}: ${reason}`,
        count: 1,
        until: null,
      },
    ])
    assert.deepEqual([warned.status, warned.sync.error], ['connected', ''])
    // Refreshing it alone fails as well.
    const { server } = await at.admin.get<{ server: Server }>('syncServer', {
      path: { id: odd.id },
    })
    assert.deepEqual([server.status, server.metadata['sys:read_error']], ['unknown', reason])
    await at.update(id, simulated({}))
    await eventually('it can be read', async () => (await read()).length === 0)
    await eventually('no warning', async () => (await at.show(id)).sync.warnings.length === 0)
    assert.notEqual((await at.server(odd.id))?.status, 'unknown')
  })

  test('a server that runs on two hosts is reported on both accounts', async (context) => {
    const guest = domain(1, { name: 'twin' })
    const hosts = [
      await startFakeLibvirt(context, { domains: [guest], host: { uuid: uuidOf(911) } }),
      await startFakeLibvirt(context, {
        domains: [domain(1, { name: 'copy' }), domain(2)],
        host: { uuid: uuidOf(912) },
      }),
    ] as const
    const options = { group: newId() }
    const one = await at.attachLibvirt(hosts[0], { options })
    const other = await at.attachLibvirt(hosts[1], { options })
    // Both report the guest, so both have a warning of a shared server as well.
    const warningsOf = ({ sync }: CloudAccount) =>
      sync.warnings.filter(({ kind }) => kind !== 'shared')
    const syncBoth = async () => [await at.sync(one.id), await at.sync(other.id)] as const
    // A migration shows a guest twice for a moment, too.
    assert.deepEqual(warningsOf(await at.sync(one.id)), [])
    await syncBoth()
    for (const warned of await syncBoth()) {
      assert.equal(warned.status, 'connected')
      assert.ok(warned.sync.warnings.some(({ kind }) => kind === 'shared'))
      const warnings = warningsOf(warned)
      assert.deepEqual(
        warnings.map(({ kind, count, until: end }) => [kind, count, end]),
        [['duplicate', 1, null]],
      )
      for (const name of ['twin', 'copy', one.name, other.name]) {
        assert.ok(String(warnings[0]?.text).includes(name), name)
      }
    }
    // Another account for the same host reports the same guest, which is no conflict.
    const again = await at.attachLibvirt(hosts[1], { options })
    await at.sync(again.id)
    await syncBoth()
    const text = warningsOf(await at.sync(again.id))[0]?.text ?? ''
    assert.ok(text.includes(one.name) && !text.includes(other.name), text)
    await at.admin.get('deleteCloudAccount', { path: { id: again.id }, query: 'evict=true' })
    // A guest that is shut off on one host is left over from a migration.
    hosts[1].domains.set(guest.uuid, domain(1, { name: 'copy', state: 5 }))
    await at.sync(other.id)
    for (const synced of await syncBoth()) assert.deepEqual(warningsOf(synced), [])
    assert.equal((await at.server(domainServerId(one, guest.uuid)))?.account_id, one.id)
  })
})
