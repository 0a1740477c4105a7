import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import type { EventDto } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { ask } from '../../testing/client.ts'
import type { FakeDomain } from '../../testing/fake-libvirt-responses.ts'
import { domain, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { nextIn } from '../../testing/inventory-world/server-responses.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** Custom tags in libvirt metadata. */
const tagged = (tags: Readonly<Record<string, string>>) => ({
  inside: `<metadata><muster:tags xmlns:muster="urn:muster:tags:1">${Object.entries(tags)
    .map(([key, value]) => `<muster:tag name="${key}">${value}</muster:tag>`)
    .join('')}</muster:tags></metadata>`,
})

onEngineOfLane('the history of a server', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, engine)
  })

  /** One guest, and a function that changes it and waits for the event. */
  async function attachOne(
    context: TestContext,
    first: Partial<FakeDomain> = {},
    changes?: object,
  ) {
    const libvirt = await startFakeLibvirt(context, { domains: [domain(1, first)] })
    const account = await at.attachLibvirt(libvirt, changes)
    const id = domainServerId(account, uuidOf(1))
    return {
      account,
      id,
      async become(next: Partial<FakeDomain> | undefined): Promise<EventDto> {
        const known = (await at.history(id)).length
        if (next) libvirt.domains.set(uuidOf(1), domain(1, next))
        else libvirt.domains.delete(uuidOf(1))
        libvirt.sendEvent(domain(1))
        return await eventually('it is told', async () => {
          const events = await at.history(id)
          return events.length > known && events[0]
        })
      },
    }
  }
  const actionAndChanges = ({ action, changes }: EventDto) => ({ action, changes })

  test('begins with the initial values', async (context) => {
    const { account, id } = await attachOne(context, { name: 'first' })
    const [event, ...others] = await at.history(id)
    assert.equal(others.length, 0)
    const { id: eventId, time, ...rest } = event ?? assert.fail()
    assert.ok(eventId !== '' && Math.abs(Date.parse(time) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      action: 'create',
      target_type: 'server',
      target_id: id,
      target_name: 'first',
      user_id: '',
      user: `account ${account.name}`,
      project_id: at.projectId,
      domain_id: 'default',
      ip: '',
      request_id: '',
      result: 'success',
      record: 'change',
      not_observed_since: null,
      changes: {
        name: [null, 'first'],
        status: [null, 'running'],
        ips: [null, ''],
        instance_type: [null, ''],
        host: [null, 'fake-host'],
        account: [null, account.name],
        project_id: [null, at.projectId],
      },
    })
  })

  test('records exactly the changed fields before and after, metadata by key', async (context) => {
    const { become, id } = await attachOne(context, tagged({ team: 'web', old: '1', same: 'x' }))
    assert.deepEqual(
      actionAndChanges(await become({ ...tagged({ team: 'web', old: '1', same: 'x' }), state: 5 })),
      {
        action: 'update',
        changes: { status: ['running', 'ready'] },
      },
    )
    const renamed = await become({ ...tagged({ team: 'data', fresh: '2', same: 'x' }), name: 'b' })
    assert.deepEqual(actionAndChanges(renamed), {
      action: 'update',
      changes: {
        name: ['guest-1', 'b'],
        status: ['ready', 'running'],
        'ext:team': ['web', 'data'],
        'ext:old': ['1', null],
        'ext:fresh': [null, '2'],
      },
    })
    assert.equal(renamed.target_name, 'b')
    const { update_version } = (await at.server(id)) ?? assert.fail()
    assert.equal(update_version, 2)
  })

  test('records deletion and restoration', async (context) => {
    const { become, id } = await attachOne(context)
    const gone = await become(undefined)
    assert.deepEqual([gone.action, gone.changes['status']], ['delete', ['running', null]])
    const back = await become({ state: 5 })
    assert.deepEqual([back.action, back.changes['status']], ['restore', [null, 'ready']])
    assert.equal((await at.server(id))?.deleted, false)
    const actions = (await at.history(id)).map(({ action }) => action)
    assert.deepEqual(actions, ['restore', 'delete', 'create'])
  })

  test('is paged, newest first, and matches the audit log', async (context) => {
    const { become, id } = await attachOne(context)
    for (const state of [5, 1, 5, 1]) await become({ state })
    const whole = await at.history(id)
    assert.equal(whole.length, 5)
    const { events } = await at.admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_type=server&target_id=${id}`,
    })
    assert.deepEqual(events, whole)
    const pages: EventDto[][] = []
    const walk = async (path: string): Promise<void> => {
      const page = await ask<{ events: EventDto[]; limit: number }>(at.url, path, {
        token: at.admin.token,
      })
      assert.equal(page.body.limit, 2)
      pages.push(page.body.events)
      const next = nextIn(page.headers)
      if (next !== undefined) await walk(next.replace(at.url, ''))
    }
    await walk(`/servers/${id}/history?limit=2`)
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1],
    )
    assert.deepEqual(pages.flat(), whole)
    const { time } = whole[2] ?? assert.fail()
    const since = await at.history(id, `since=${time}`)
    assert.deepEqual(
      since,
      whole.filter((event) => event.time >= time),
    )
    assert.deepEqual(await at.history(id, 'action=create'), whole.slice(-1))
    assert.deepEqual(await at.history(id, 'order=asc'), whole.toReversed())
    for (const query of ['limit=-1', 'since=yesterday', 'order_by=user', 'offset=1']) {
      await at.admin.fail('InputParameterError', 'getServerHistory', { path: { id }, query })
    }
  })

  test('requires visibility of the server and hides client addresses', async (context) => {
    const { id } = await attachOne(context)
    const [owner, viewer] = [
      await at.addCaller('project_owner'),
      await at.addCaller('project_viewer'),
    ]
    await owner.get('mergeServerMetadata', { path: { id }, body: { metadata: { team: 'x' } } })
    const read = async (who: Pick<typeof viewer, 'get'>) =>
      (await who.get<{ events: EventDto[] }>('getServerHistory', { path: { id } })).events
    const whole = await read(at.admin)
    const told = whole.find(({ record }) => record === 'event')
    const change = whole.find(({ action, record }) => record === 'change' && action === 'update')
    assert.deepEqual([told?.ip, told?.user_id], ['127.0.0.1', owner.userId])
    assert.notEqual(told?.request_id, '')
    assert.deepEqual(
      [change?.record, change?.request_id, change?.changes],
      ['change', told?.request_id, told?.changes],
    )
    for (const who of [viewer, owner]) {
      const found = await read(who)
      const event = found.find(({ record }) => record === 'event')
      const others = found.filter((each) => each !== event)
      assert.deepEqual(event, { ...told, ip: '' })
      assert.deepEqual(event?.changes, { 'user:team': [null, 'x'] })
      assert.deepEqual(
        others.map(({ record, request_id }) => [record, request_id]),
        [
          ['change', told?.request_id],
          ['change', ''],
        ],
      )
      for (const query of ['ip=127.0.0.1', 'filter=ip.isnotempty()', 'search=127.0.0']) {
        const path = { path: { id }, query }
        const found = await who.get<{ events: EventDto[] }>('getServerHistory', path)
        assert.deepEqual(found.events, [], query)
      }
    }
    const stranger = await at.addCaller('project_owner', await at.identities.addProject(newId()))
    for (const path of [{ id }, { id: id.replace(/^.{8}/, '00000000') }, { id: 'none' }]) {
      await stranger.fail('ResourceNotFoundError', 'getServerHistory', { path })
    }
  })

  test('hides events from before the server moved to the project', async (context) => {
    const [mine, secret] = [await at.identities.addProject(newId()), `secret ${newId()}`]
    const { become, id, account } = await attachOne(
      context,
      { name: secret, ...tagged({ team: 'theirs' }) },
      { mapping: [{ tag: 'team=mine', project_id: mine }] },
    )
    await become({ name: `${secret} too`, ...tagged({ team: 'theirs' }) })
    const theirs = await at.addCaller('project_owner')
    await theirs.get('mergeServerMetadata', { path: { id }, body: { metadata: { note: secret } } })
    // The owner and the name change in one scan.
    await become({ name: 'given', ...tagged({ team: 'mine' }) })
    await become({ name: 'given', state: 5, ...tagged({ team: 'mine' }) })
    const viewer = await at.addCaller('project_viewer', mine)
    const read = async () =>
      (await viewer.get<{ events: EventDto[] }>('getServerHistory', { path: { id } })).events
    const seen = await read()
    assert.deepEqual(
      seen.map((event) => event.action),
      ['update', 'create'],
    )
    assert.deepEqual(seen[0]?.changes, { status: ['running', 'ready'] })
    assert.deepEqual(seen[1]?.changes['project_id'], [null, mine])
    assert.deepEqual(seen[1]?.changes['name'], [null, 'given'])
    for (const word of [secret, 'theirs', at.projectId]) {
      assert.ok(!JSON.stringify(seen).includes(word), word)
    }
    // A caller who sees both projects sees everything; the former owner sees nothing.
    const whole = await at.history(id)
    assert.deepEqual(whole[1]?.changes['name'], [`${secret} too`, 'given'])
    assert.equal(whole.length, 6)
    await theirs.fail('ResourceNotFoundError', 'getServerHistory', { path: { id } })
    // After its return the first owner sees their own events and the return, not those between.
    await at.update(account.id, { mapping: [] })
    const { events } = await theirs.get<{ events: EventDto[] }>('getServerHistory', {
      path: { id },
    })
    assert.deepEqual(
      events.map(({ action }) => action),
      ['create', 'delete', 'update', 'update', 'update', 'create'],
    )
    assert.deepEqual(events[0]?.changes['project_id'], [null, at.projectId])
  })

  test('never contains the admin security group', async () => {
    const server = minimalServer(at.projectId, {
      adminGroup: { id: 'forced', rules: 'in:deny any' },
    })
    const record = (changes: object) =>
      at.platform.inventory.recordServers({ present: [{ ...server, ...changes }], gone: [] })
    await record({})
    await record({ status: 'ready', adminGroup: { id: 'forced too', rules: 'in:allow any' } })
    await at.platform.inventory.recordServers({ present: [], gone: [server.id] })
    await record({ adminGroup: { id: 'forced', rules: 'out:deny any' } })
    const events = await at.history(server.id)
    assert.deepEqual(
      events.map(({ action }) => action),
      ['restore', 'delete', 'update', 'create'],
    )
    assert.deepEqual(events[2]?.changes, { status: ['running', 'ready'] })
    assert.doesNotMatch(JSON.stringify(events), /admin_|forced|deny|allow/)
  })
})
