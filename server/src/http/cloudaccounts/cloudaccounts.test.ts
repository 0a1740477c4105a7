import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  AccountSyncRun,
  AccountTest,
  CloudAccount,
  CloudProvider,
  EventDto,
} from '@muster/contract'
import { sourceActions } from '../../domain/sources/action-port.ts'
import { newId } from '../../domain/new-id.ts'
import {
  longPeriod,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { ask } from '../../testing/client.ts'
import { refuse, startFakeEc2, succeed } from '../../testing/fake-ec2.ts'
import { domain, some } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { nextIn } from '../../testing/inventory-world/server-responses.ts'
import { changedTables, createSnapshots } from '../../testing/platform-world/snapshots.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

type Body = { readonly cloudaccount: CloudAccount }
interface Page {
  readonly cloudaccounts: readonly CloudAccount[]
  readonly limit: number
  readonly offset: number
  readonly total: number
}
const nowhere = { provider: 'OneCloud', address: 'qemu+unix:///system?socket=/nowhere' }
const plain = { ...nowhere, enabled: false }
const keys = { access_key_id: 'AKIAPLANTED', secret_access_key: 'planted/secret+of+aws' }
const regions = '<regionInfo><item><regionName>eu-west-1</regionName></item></regionInfo>'

onEngineOfLane('cloud accounts', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let log = ''
  before(async () => {
    const destination = { write: (line: string) => void (log += line) }
    at = await startAttached(lifetime, engine, {
      flags: ['--source-allow=127.0.0.1'],
      log: { level: 'trace', destination },
    })
  })

  const show = (id: string) => at.show(id)
  const events = async (query: string) =>
    (await at.admin.get<{ events: EventDto[] }>('listEvents', { query })).events
  const list = (query: string) => at.admin.get<Page>('listCloudAccounts', { query })
  const remove = (id: string, query?: string) =>
    at.admin.call('deleteCloudAccount', { path: { id }, ...(query !== undefined && { query }) })

  test('are created with the given values and defaults for the rest', async () => {
    const name = `account ${newId()}`
    const made = await at.attach({ name, ...plain, period: undefined })
    const { id, created_at, ...rest } = made
    assert.match(created_at, /Z$/)
    assert.deepEqual(rest, {
      name,
      ...plain,
      brand: 'OneCloud',
      options: {},
      project_id: at.projectId,
      period: 10,
      disappearance_hold: null,
      access: 'observe',
      max_actions: 10,
      request_timeout: 20,
      mapping: [],
      status: 'disabled',
      servers: 0,
      sync: {
        state: 'idle',
        started_at: null,
        finished_at: null,
        duration_ms: 0,
        seen: 0,
        created: 0,
        changed: 0,
        gone: 0,
        error: '',
        error_field: '',
        failing_since: null,
        warnings: [],
        next_at: null,
      },
    })
    const whole = {
      name: newId(),
      provider: 'Aws',
      address: 'http://127.0.0.1:1',
      credentials: keys,
      brand: 'Ours',
      options: { regions: ['eu-west-1', 'us-east-1'] },
      period: 86_400,
      enabled: false,
      access: 'manage',
      max_actions: 3,
      request_timeout: 45,
      mapping: [{ tenant: 't*', tag: 'a=b', account: '*', name: 'n', project_id: at.projectId }],
    }
    const { credentials: _, ...shown } = whole
    const second = await at.attach(whole)
    assert.deepEqual({ ...second, ...shown }, second)
    const told = (await events(`target_id=${id}`))[0]
    assert.deepEqual(
      [told?.action, told?.target_type, told?.target_name, told?.user_id],
      ['create', 'cloudaccount', name, at.admin.userId],
    )
    assert.deepEqual(told?.changes['credentials'], [null, '(hidden)'])
  })

  test('are found by id and by name, in any case', async () => {
    const account = await at.attach({ ...plain, name: `Größe ${newId()}` })
    for (const word of [account.id, account.name, account.name.toUpperCase()]) {
      assert.deepEqual(await show(word), account)
    }
    for (const word of ['none', newId(), '%']) {
      await at.admin.fail('ResourceNotFoundError', 'getCloudAccount', { path: { id: word } })
      await at.admin.fail('ResourceNotFoundError', 'syncCloudAccount', { path: { id: word } })
      await at.admin.fail('ResourceNotFoundError', 'testCloudAccount', { path: { id: word } })
      await at.admin.fail('ResourceNotFoundError', 'deleteCloudAccount', { path: { id: word } })
    }
    // An id takes precedence over a name.
    const impostor = await at.attach({ ...plain, name: account.id })
    assert.equal((await show(account.id)).id, account.id)
    assert.equal((await show(impostor.id)).id, impostor.id)
  })

  test('can be paged, sorted, filtered and searched', async () => {
    const mark = newId()
    const project = await at.identities.addProject(mark)
    const made: CloudAccount[] = []
    for (const [index, letter] of ['b', 'a', 'd', 'c'].entries()) {
      made.push(
        await at.attach({
          ...(index === 0 ? { provider: 'Simulator', enabled: false } : plain),
          name: `${letter} ${mark}`,
          project_id: project,
          period: 100 - index,
        }),
      )
    }
    const names = async (query: string) =>
      (await list(`search=${mark}&${query}`)).cloudaccounts.map(({ name }) => name[0]).join('')
    assert.equal(await names(''), 'cdab')
    assert.equal(await names('order=asc'), 'badc')
    assert.equal(await names('order_by=name&order=asc'), 'abcd')
    assert.equal(await names('order_by=period'), 'badc')
    assert.equal((await names('order_by=provider')).at(0), 'b')
    assert.equal(await names('provider=Simulator'), 'b')
    assert.equal(await names(`project_id=${at.projectId}`), '')
    assert.equal(await names('enabled=true'), '')
    assert.equal((await names('status=disabled')).length, 4)
    assert.equal(await names(`name=${encodeURIComponent(`a ${mark}`)}`), 'a')
    assert.equal((await list(`project_id=${project}&search=NOWHERE`)).total, 3)
    assert.equal((await list('search=no%20such%20thing')).total, 0)

    const start = `/cloudaccounts?search=${mark}&order_by=name&order=asc&limit=2`
    const seen: string[] = []
    const walk = async (path: string): Promise<void> => {
      const page = await ask<Page>(at.url, path, { token: at.admin.token })
      assert.deepEqual([page.body.total, page.body.limit], [4, 2])
      seen.push(...page.body.cloudaccounts.map(({ id }) => id))
      const next = nextIn(page.headers)
      if (next !== undefined) await walk(next.replace(at.url, ''))
    }
    await walk(start)
    const inOrder = made.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id)
    assert.deepEqual(seen, inOrder)
    const { cloudaccounts, limit, total } = await list(`search=${mark}&limit=0`)
    assert.deepEqual([cloudaccounts.length, limit, total], [0, 0, 4])
    assert.equal((await list(`search=${mark}&limit=99999`)).limit, 2_048)
    assert.equal((await list(`search=${mark}&offset=4`)).cloudaccounts.length, 0)
    for (const query of [
      'limit=-1',
      'limit=x',
      'order=up',
      'order_by=credentials',
      'status=well',
    ]) {
      await at.admin.fail('InputParameterError', 'listCloudAccounts', { query })
    }
  })

  test('that fail are listed first, with their syncs and since when', async () => {
    const mark = newId()
    const begun = new Date().toISOString()
    const attach = (name: string, settings: object) =>
      at.attach({ ...settings, name: `${name} ${mark}` })
    await attach('disabled', plain)
    const works = await attach('works', { provider: 'Simulator', options: { servers: 3 } })
    const fails = await attach('fails', nowhere)
    await eventually('a sync of each', async () => {
      const [one, other] = [await show(works.id), await show(fails.id)]
      return one.status === 'connected' && other.status === 'disconnected'
    })
    const query = `search=${mark}&order_by=status&order_by=name&order=asc`
    const first = await at.admin.get<Page>('listCloudAccounts', { query: `${query}&limit=1` })
    assert.equal(first.cloudaccounts[0]?.id, fails.id)
    const page = await ask<Page>(at.url, `/cloudaccounts?${query}&limit=2`, {
      token: at.admin.token,
    })
    const next = nextIn(page.headers)?.replace(at.url, '') ?? ''
    const rest = await ask<Page>(at.url, next, { token: at.admin.token })
    assert.deepEqual(
      [page, rest].flatMap(({ body }) => body.cloudaccounts.map(({ status }) => status)),
      ['disconnected', 'connected', 'disabled'],
    )

    const syncsOf = async (path: { id: string }) =>
      (await at.admin.get<{ syncs: AccountSyncRun[] }>('getCloudAccountSyncs', { path })).syncs
    const [complete] = await syncsOf({ id: works.name })
    assert.deepEqual(
      [complete?.result, complete?.seen, complete?.created, complete?.error],
      ['complete', 3, 3, ''],
    )
    const failed = (await syncsOf(fails)).at(-1)
    const { sync } = await show(fails.id)
    assert.deepEqual([failed?.result, failed?.seen], ['failed', 0])
    assert.match(failed?.error ?? '', /socket \/nowhere cannot be opened/)
    assert.equal(sync.error_field, 'address')
    assert.equal(sync.failing_since, failed?.started_at)
    assert.ok((sync.failing_since ?? '') >= begun)
    await at.admin.fail('ResourceNotFoundError', 'getCloudAccountSyncs', { path: { id: newId() } })
  })

  test('an update changes only the given fields, and the audit log has the values before and after', async () => {
    const account = await at.attach({ ...plain, credentials: {} })
    const expected = { ...account }
    const steps: object[] = [
      { name: newId() },
      { brand: 'Ours' },
      { period: 60, address: 'qemu+unix:///session' },
      { options: { group: 'west' } },
      { options: {} },
      { mapping: [{ name: 'web*', project_id: at.projectId }] },
      { mapping: [] },
      { project_id: await at.identities.addProject(newId()) },
    ]
    for (const step of steps) {
      const before = { ...expected } as Record<string, unknown>
      Object.assign(expected, step)
      assert.deepEqual(await at.update(account.id, step), expected)
      assert.deepEqual(await show(account.id), expected)
      const [event] = await events(`target_id=${account.id}&limit=1`)
      assert.equal(event?.action, 'update')
      assert.deepEqual(
        event.changes,
        Object.fromEntries(Object.entries(step).map(([key, value]) => [key, [before[key], value]])),
      )
    }
    await at.admin.fail('ResourceNotFoundError', 'updateCloudAccount', {
      path: { id: newId() },
      body: { cloudaccount: { period: 60 } },
    })
  })

  test('an update without changes stores and records nothing', async () => {
    const { id, name, address, period, project_id } = await at.attach(plain)
    const takeSnapshot = await createSnapshots(at.database)
    const snapshot = await eventually('the first syncs of other accounts have ended', async () => {
      const before = await takeSnapshot()
      await pause(300)
      return changedTables(before, await takeSnapshot()).length === 0 && before
    })
    for (const same of [
      { name },
      { name, address, period, project_id, enabled: false, mapping: [], options: {} },
    ]) {
      await at.update(id, same)
    }
    assert.deepEqual(changedTables(snapshot, await takeSnapshot()), [])
  })

  test('concurrent updates are all stored', async () => {
    const { id } = await at.attach(plain)
    const changes = [{ period: 77 }, { brand: 'Mine' }, { options: { group: 'g' } }]
    await Promise.all(changes.map((change) => at.update(id, change)))
    const { period, brand, options } = await show(id)
    assert.deepEqual({ period, brand, options }, Object.assign({}, ...changes))
  })

  test('providers list their required fields', async () => {
    const { providers } = await at.admin.get<{ providers: CloudProvider[] }>('listCloudProviders')
    const shapes = providers.map(({ provider, address, credentials, events: tells }) => [
      provider,
      address.required,
      credentials.filter(({ required }) => required).map(({ name }) => name),
      tells,
    ])
    assert.deepEqual(shapes, [
      ['OneCloud', true, [], true],
      ['Aws', false, ['access_key_id', 'secret_access_key'], false],
      ['Incus', true, [], true],
      ['VMware', true, ['username', 'password'], true],
      ['OpenStack', true, [], true],
      ['Simulator', false, [], true],
    ])
  })

  test('can be tested before and after creation without side effects', async (context) => {
    const [libvirt, ec2] = [
      await startFakeLibvirt(context, { domains: some }),
      await startFakeEc2(context),
    ]
    const body = (cloudaccount: object) => ({ body: { cloudaccount } })
    const tryNew = async (cloudaccount: object) =>
      (await at.admin.get<{ test: AccountTest }>('testNewCloudAccount', body(cloudaccount))).test
    const before = (await list('limit=0')).total
    const good = { provider: 'OneCloud', address: libvirt.address }
    const { duration_ms: _, ...seen } = await tryNew(good)
    const expected = {
      ok: true,
      title: 'libvirt 9.1.2 on fake-host',
      servers: 3,
      statuses: { running: 2, ready: 1 },
      sample: ['guest-1', 'guest-2', 'guest-3'],
      is_complete: true,
      actions: Object.fromEntries(sourceActions.map((action) => [action, true])),
      error: '',
      error_field: '',
    }
    assert.deepEqual(seen, expected)
    assert.equal((await list('limit=0')).total, before)

    ec2.misbehave = (_request, response) => refuse(response, 401, 'AuthFailure', 'no such key')
    const wrong = await tryNew({ provider: 'Aws', address: ec2.url, credentials: keys })
    assert.deepEqual([wrong.ok, wrong.servers, wrong.is_complete], [false, 0, false])
    assert.match(wrong.error, /key/i)
    assert.equal(wrong.error_field, 'credentials')
    const away = await tryNew(nowhere)
    assert.deepEqual([away.ok, away.title], [false, ''])
    assert.match(away.error, /socket \/nowhere cannot be opened/)
    assert.equal(away.error_field, 'address')
    const [told] = await events('action=test&limit=1')
    assert.deepEqual(told?.changes, {
      provider: [null, 'OneCloud'],
      address: [null, nowhere.address],
    })

    const kept = await at.attach({ ...good, enabled: false })
    const { test: after } = await at.admin.get<{ test: AccountTest }>('testCloudAccount', {
      path: { id: kept.name },
    })
    assert.deepEqual({ ...after, duration_ms: 0 }, { ...expected, duration_ms: 0 })
    assert.deepEqual(await show(kept.id), kept)
    assert.equal((await events(`target_id=${kept.id}&action=test`)).length, 1)
  })

  test('sync on request and report their progress', async (context) => {
    const ec2 = await startFakeEc2(context)
    const instance = (index: number) => ec2.instances.set(`i-${index}`, { name: `vm ${index}` })
    for (let index = 0; index < 5; index += 1) instance(index)
    const account = await at.attachEc2(ec2)
    const { status, servers, sync } = account
    assert.deepEqual([status, servers], ['connected', 5])
    const countsOf = ({ seen, created, changed, gone }: CloudAccount['sync']) => [
      seen,
      created,
      changed,
      gone,
    ]
    assert.deepEqual(countsOf(sync), [5, 5, 0, 0])
    assert.equal(sync.error, '')
    assert.ok((sync.started_at ?? '') <= (sync.finished_at ?? ''))
    assert.ok(Date.parse(sync.next_at ?? '') > Date.now() + longPeriod * 800)

    instance(5)
    ec2.instances.set('i-1', { name: 'vm 1', state: 'stopped' })
    ec2.instances.delete('i-2')
    const held: ServerResponse[] = []
    ec2.misbehave = ({ action }, response) =>
      action === 'DescribeRegions' && held.push(response) > 0
    const asked = await at.admin.call<Body>('syncCloudAccount', { path: { id: account.id } })
    assert.equal(asked.status, 202)
    assert.match(asked.body.cloudaccount.sync.state, /queued|running/)
    const running = await eventually('a sync that runs', async () => {
      const { sync: now } = await show(account.id)
      return held.length > 0 && now.state === 'running' && now
    })
    assert.deepEqual(countsOf(running), [0, 0, 0, 0])
    assert.equal(running.finished_at, sync.finished_at)
    ec2.misbehave = undefined
    for (const response of held) succeed(response, 'DescribeRegions', regions)
    const after = await at.synced(account.id, sync.finished_at ?? '')
    assert.deepEqual(countsOf(after.sync), [5, 1, 1, 1])
    assert.equal((await events(`target_id=${account.id}&action=sync`)).length, 1)
  })

  test('count the servers seen so far during a sync', async (context) => {
    const ec2 = await startFakeEc2(context)
    ec2.pageSize = 2
    const owner = newId()
    for (let index = 0; index < 6; index += 1) {
      ec2.instances.set(`i-${index}`, { name: `${index}`, owner })
    }
    const account = await at.attachEc2(ec2)
    // The third page is delayed longer than the interval between progress updates.
    let held: ServerResponse | undefined
    ec2.misbehave = ({ action, form }, response) => {
      if (action !== 'DescribeInstances' || form.get('NextToken') === null) return false
      if (form.get('NextToken') === 'last') return (held = response) !== undefined
      void pause(1_050).then(() =>
        succeed(response, action, '<reservationSet/><nextToken>last</nextToken>'),
      )
      return true
    }
    await at.admin.get('syncCloudAccount', { path: { id: account.id } })
    await eventually('a part of it', async () => (await show(account.id)).sync.seen === 2)
    assert.equal((await show(account.id)).sync.state, 'running')
    assert.equal((await show(account.id)).servers, 6)
    await eventually('the last page is asked for', () => held !== undefined)
    ec2.misbehave = undefined
    if (held) succeed(held, 'DescribeInstances', '<reservationSet/>')
    const after = await at.synced(account.id, account.sync.finished_at ?? '')
    // More than half of the servers were missing, so they are not removed at once.
    assert.deepEqual([after.sync.seen, after.sync.gone, after.servers], [2, 0, 6])
    assert.deepEqual(
      after.sync.warnings.map(({ kind, count }) => [kind, count]),
      [['missing', 4]],
    )
  })

  test('are neither synced nor syncable while disabled', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: some })
    const { address } = libvirt
    const { id } = await at.attach({ provider: 'OneCloud', address, enabled: false, period: 5 })
    await at.admin.fail('InvalidStatusError', 'syncCloudAccount', { path: { id } })
    assert.equal((await events(`target_id=${id}&action=sync`)).length, 0)
    assert.deepEqual(libvirt.requests, [])
    await at.update(id, { enabled: true })
    const synced = await at.synced(id)
    assert.deepEqual([synced.status, synced.servers], ['connected', 3])
    const stopped = await at.update(id, { enabled: false })
    assert.deepEqual([stopped.status, stopped.sync.next_at], ['disabled', null])
    assert.equal((await at.servers({ id })).length, 3)
    // The running sync is aborted, and no further request is sent.
    let before = -1
    await eventually('silence', async () => {
      const isSilent = before === libvirt.requests.length
      before = libvirt.requests.length
      await pause(100)
      return isSilent
    })
    libvirt.domains.set(domain(4).uuid, domain(4))
    libvirt.sendEvent(domain(4))
    await pause(300)
    assert.equal(libvirt.requests.length, before)
    assert.equal((await at.servers({ id })).length, 3)
  })

  test('are deleted with their servers, after a warning with the count', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: some })
    const account = await at.attachLibvirt(libvirt)
    const { id, name } = account
    const warning = await remove(id)
    assert.equal(warning.status, 409)
    assert.match(warning.body.details, /3 servers.*evict=true/)
    assert.equal((await remove(id, 'evict=false')).status, 409)
    const kept = await at.servers(account)
    assert.equal(kept.length, 3)

    assert.equal((await remove(name, 'evict=true')).status, 204)
    await at.admin.fail('ResourceNotFoundError', 'getCloudAccount', { path: { id } })
    assert.equal((await list(`name=${encodeURIComponent(name)}`)).total, 0)
    assert.equal((await at.servers(account)).length, 0)
    const gone = await at.servers(account, 'deleted=true')
    assert.deepEqual(
      gone.map((server) => [server.id, server.deleted, server.name]),
      kept.map((server) => [server.id, true, server.name]),
    )
    const [told] = await events(`target_id=${id}&limit=1`)
    assert.deepEqual([told?.action, told?.changes], ['delete', { servers: [3, 0] }])
    for (const server of gone) {
      const [last] = await at.history(server.id, 'limit=1')
      assert.deepEqual([last?.action, last?.user], ['delete', `account ${name}`])
    }

    // Its name can be reused, and its servers get the same ids again.
    const again = await at.attachLibvirt(libvirt, { name, options: account.options })
    assert.notEqual(again.id, id)
    assert.deepEqual(
      (await at.servers(again)).map((server) => server.id),
      kept.map((server) => server.id),
    )
    assert.equal((await remove((await at.attach(plain)).id)).status, 204)
  })

  test('never return or log their credentials, and store them encrypted', async (context) => {
    const ec2 = await startFakeEc2(context)
    const texts: string[] = []
    const call = async (...parameters: Parameters<Attached['admin']['call']>) => {
      const answer = await at.admin.call<Body>(...parameters)
      texts.push(answer.text)
      return answer
    }
    const { provider, address } = { provider: 'Aws', address: ec2.url }
    const cloudaccount = { provider, address, credentials: keys }
    const made = await call('createCloudAccount', {
      body: { cloudaccount: { ...cloudaccount, name: newId(), project_id: at.projectId } },
    })
    const { id } = made.body.cloudaccount
    const path = { id }
    await at.synced(id)
    const later = {
      access_key_id: 'AKIALATER',
      secret_access_key: 'later/secret',
      session_token: 'st/later',
    }
    await call('updateCloudAccount', { path, body: { cloudaccount: { credentials: later } } })
    // A source that echoes the credentials in its errors.
    ec2.misbehave = ({ authorization }, response) =>
      refuse(response, 401, 'AuthFailure', `${later.secret_access_key} ${authorization}`)
    await call('testCloudAccount', { path })
    await call('testNewCloudAccount', {
      body: { cloudaccount: { ...cloudaccount, credentials: later } },
    })
    await call('syncCloudAccount', { path })
    await eventually('it has failed', async () => (await show(id)).status === 'disconnected')
    await call('getCloudAccount', { path })
    await call('listCloudAccounts', {})
    await call('listEvents', { query: 'limit=2048' })
    await call('createCloudAccount', {
      body: { cloudaccount: { ...cloudaccount, name: id, project_id: 'none' } },
    })
    const kept = JSON.stringify(await dumpTables(at.database))
    assert.ok(kept.includes(id) && texts.join('').includes(id) && log.includes('sync'))
    for (const secret of [...Object.values(keys), ...Object.values(later)]) {
      if (secret.startsWith('AKIA')) continue
      for (const [place, text] of Object.entries({ kept, log, answers: texts.join('\n') })) {
        assert.ok(!text.includes(secret), `${secret} in ${place}`)
      }
    }
    assert.ok(
      !kept.includes('AKIAPLANTED') && !kept.includes('AKIALATER'),
      'the whole of it is sealed',
    )
    await call('updateCloudAccount', { path, body: { cloudaccount: { enabled: false } } })
  })
})
