import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import type { AccountRule, CloudAccount, EventDto, MappingPreview, Server } from '@muster/contract'
import fc from 'fast-check'
import { newId } from '../../domain/new-id.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { startFakeEc2 } from '../../testing/fake-ec2.ts'
import { domain, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { anySubject, firstRule, ruleOf } from '../../testing/inventory-world/mapping-model.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'

/** The metadata that nova writes to its guests, and custom metadata. */
const noted = (tenant: string, tenantName: string, tags: Readonly<Record<string, string>>) => ({
  inside: `<metadata>
    <nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.1">
      <nova:owner><nova:project uuid="${tenant}">${tenantName}</nova:project></nova:owner>
    </nova:instance>
    <muster:tags xmlns:muster="urn:muster:tags:1">${Object.entries(tags)
      .map(([key, value]) => `<muster:tag name="${key}">${value}</muster:tag>`)
      .join('')}</muster:tags></metadata>`,
})

onPostgresFirst('the project mapping of an account', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  let [web, data] = ['', '']
  before(async () => {
    at = await startAttached(lifetime, engine)
    web = await at.identities.addProject('web')
    data = await at.identities.addProject('data')
  })

  const guests = [
    domain(1, { name: 'web-1', ...noted('t-1', 'shop', { team: 'web', tier: 'front' }) }),
    domain(2, { name: 'web-2', ...noted('t-2', 'bank', { team: 'data' }) }),
    domain(3, { name: 'db-1' }),
  ]
  async function attach(context: TestContext, changes: object = {}) {
    const libvirt = await startFakeLibvirt(context, { domains: guests })
    return { libvirt, account: await at.attachLibvirt(libvirt, changes) }
  }
  const preview = async (
    { id }: CloudAccount,
    mapping: readonly AccountRule[],
    project_id?: string,
  ) =>
    (
      await at.admin.get<{ preview: MappingPreview }>('previewCloudAccountMapping', {
        path: { id },
        body: { mapping, ...(project_id !== undefined && { project_id }) },
      })
    ).preview
  const placesOf = async (account: CloudAccount) => {
    const names = new Map([
      [web, 'web'],
      [data, 'data'],
      [at.projectId, 'home'],
    ])
    return (await at.servers(account)).map(({ project_id }) => names.get(project_id) ?? project_id)
  }

  test('maps by tenant, tag, account and name from the first sync on', async (context) => {
    const name = `kvm ${newId()}`
    const cases: readonly (readonly [AccountRule[], string[]])[] = [
      // Sorted by name: db-1, web-1, web-2.
      [[], ['home', 'home', 'home']],
      [[{ tenant: 't-1', project_id: web }], ['home', 'web', 'home']],
      [[{ tenant: 'ban*', project_id: web }], ['home', 'home', 'web']],
      [[{ tenant: '*', project_id: web }], ['home', 'web', 'web']],
      [[{ tag: 'team=web', project_id: web }], ['home', 'web', 'home']],
      [[{ tag: 'team', project_id: web }], ['home', 'web', 'web']],
      [[{ tag: 't*=*t*', project_id: web }], ['home', 'web', 'web']],
      [[{ account: name, project_id: web }], ['web', 'web', 'web']],
      [[{ account: 'kvm *', name: '*-1', project_id: web }], ['web', 'web', 'home']],
      [
        [
          { name: 'web-1', project_id: data },
          { name: 'web-*', project_id: web },
        ],
        ['home', 'data', 'web'],
      ],
      [
        [
          { name: 'web-*', project_id: web },
          { name: 'web-1', project_id: data },
        ],
        ['home', 'web', 'web'],
      ],
    ]
    const { account } = await attach(context, {
      name,
      mapping: [{ tenant: 'shop', project_id: data }],
    })
    assert.deepEqual(await placesOf(account), ['home', 'data', 'home'])
    const [, byTenant, byDefault] = await at.servers(account)
    assert.deepEqual([byTenant?.project_src, byDefault?.project_src], ['cloud', 'local'])
    assert.deepEqual([byTenant?.tenant_id, byTenant?.manager], [data, 'shop'])
    for (const [mapping, places] of cases) {
      await at.update(account.id, { mapping })
      assert.deepEqual(await placesOf(account), places, JSON.stringify(mapping))
    }
    // A sync gives the same result.
    await at.sync(account.id)
    assert.deepEqual(await placesOf(account), cases.at(-1)?.[1])
    await at.update(account.id, { mapping: [], project_id: data })
    assert.deepEqual(await placesOf(account), ['data', 'data', 'data'])
  })

  test('a change moves servers immediately: the old project loses them, the new one gets them', async (context) => {
    const { account } = await attach(context)
    const id = domainServerId(account, uuidOf(1))
    const [old, fresh] = [
      await at.addCaller('project_owner'),
      await at.addCaller('project_viewer', web),
    ]
    const total = async (who: typeof old) =>
      (await who.get<{ total: number }>('listServers', { query: `account_id=${account.id}` })).total
    const status = async (who: typeof old) => (await who.call('getServer', { path: { id } })).status
    assert.deepEqual([await total(old), await total(fresh)], [3, 0])
    await at.update(account.id, { mapping: [{ tag: 'team=web', project_id: web }] })
    assert.deepEqual([await total(old), await total(fresh)], [2, 1])
    assert.deepEqual([await status(old), await status(fresh)], [404, 200])
    await old.fail('ResourceNotFoundError', 'getServerHistory', { path: { id } })
    await old.fail('ResourceNotFoundError', 'syncServer', { path: { id } })

    const [moved] = await at.history(id)
    assert.deepEqual(
      [moved?.action, moved?.user, moved?.project_id],
      ['update', `account ${account.name}`, web],
    )
    assert.deepEqual(moved?.changes, { project_id: [at.projectId, web] })
    const { events } = await at.admin.get<{ events: EventDto[] }>('listEvents', {
      query: `target_id=${account.id}&limit=1`,
    })
    assert.deepEqual(events[0]?.changes, {
      mapping: [[], [{ tag: 'team=web', project_id: web }]],
    })
    // Servers that are not affected stay unchanged.
    assert.equal((await at.history(domainServerId(account, uuidOf(3)))).length, 1)
  })

  test('uses the new name of a renamed account', async (context) => {
    const mapping = [{ account: 'new *', project_id: web }]
    const { account } = await attach(context, { mapping })
    assert.deepEqual(await placesOf(account), ['home', 'home', 'home'])
    await at.update(account.id, { name: `new ${newId()}` })
    assert.deepEqual(await placesOf(account), ['web', 'web', 'web'])
  })

  test('moves servers to a project that was just created', async (context) => {
    const { account } = await attach(context)
    const { project } = await at.admin.get<{ project: { id: string } }>('createProject', {
      body: { project: { name: newId(), domain_id: 'default' } },
    })
    await at.update(account.id, { mapping: [{ name: '*', project_id: project.id }] })
    const places = new Set((await at.servers(account)).map(({ project_id }) => project_id))
    assert.deepEqual([...places], [project.id])
  })

  test('moves servers while the account is disabled and while its source is unreachable', async (context) => {
    const { account, libvirt } = await attach(context)
    libvirt.close()
    await at.update(account.id, { mapping: [{ name: 'web-*', project_id: web }] })
    assert.deepEqual(await placesOf(account), ['home', 'web', 'web'])
    await at.update(account.id, { enabled: false, mapping: [{ tag: 'team', project_id: data }] })
    assert.deepEqual(await placesOf(account), ['home', 'data', 'data'])
  })

  test('skips a rule whose project was deleted', async (context) => {
    const doomed = await at.identities.addProject(newId())
    const mapping = [
      { name: 'late-*', project_id: doomed },
      { tag: 'team', project_id: web },
    ]
    const { account, libvirt } = await attach(context, { mapping })
    await at.admin.get('deleteProject', { path: { id: doomed } })
    for (const late of [
      domain(4, { name: 'late-1' }),
      domain(5, { name: 'late-2', ...noted('t', 'x', { team: 'x' }) }),
    ]) {
      libvirt.domains.set(late.uuid, late)
      libvirt.sendEvent(late)
    }
    await eventually('they are there', async () => (await at.servers(account)).length === 5)
    assert.deepEqual(await placesOf(account), ['home', 'home', 'web', 'web', 'web'])
    assert.equal((await at.sync(account.id)).sync.error, '')
    // It is returned as stored, but storing it again is rejected.
    assert.deepEqual((await at.show(account.id)).mapping, mapping)
    const details = { path: { id: account.id }, body: { cloudaccount: { mapping } } }
    await at.admin.fail('InputParameterError', 'updateCloudAccount', details)
    assert.equal((await preview(account, [])).total, 5)
  })

  test('keeps user metadata through every move', async (context) => {
    const { account } = await attach(context)
    const id = domainServerId(account, uuidOf(1))
    await at.admin.get('mergeServerMetadata', { path: { id }, body: { metadata: { mine: 'x' } } })
    await at.update(account.id, { mapping: [{ name: '*', project_id: web }] })
    await at.sync(account.id)
    assert.equal((await at.server(id))?.metadata['user:mine'], 'x')
    // User metadata is not used by rules on source tags.
    await at.update(account.id, { mapping: [{ tag: 'mine', project_id: data }] })
    assert.deepEqual(await placesOf(account), ['home', 'home', 'home'])
  })

  test('can be previewed without moving servers, also with another default project', async (context) => {
    const { account } = await attach(context)
    const nameOf = async (id: string) =>
      (await at.admin.get<{ project: { name: string } }>('getProject', { path: { id } })).project
        .name
    const { servers, ...sums } = await preview(account, [{ name: 'web-1', project_id: web }], data)
    assert.deepEqual(sums, {
      total: 3,
      moves: 3,
      projects: [
        { project_id: data, project: 'data', servers: 2 },
        { project_id: web, project: 'web', servers: 1 },
      ],
    })
    const moved = servers.find(({ name }) => name === 'web-1')
    assert.deepEqual(moved, {
      id: domainServerId(account, uuidOf(1)),
      name: 'web-1',
      from_project_id: at.projectId,
      from_project: await nameOf(at.projectId),
      to_project_id: web,
      to_project: 'web',
      rule: 0,
    })
    assert.deepEqual(await placesOf(account), ['home', 'home', 'home'])
    assert.deepEqual((await preview(account, [])).servers, [])
  })

  test('moves servers as previewed, and as a reference implementation of the rules does', async (context) => {
    const ec2 = await startFakeEc2(context)
    const subjects = fc.sample(anySubject, { numRuns: 30, seed: 7 })
    for (const [index, { name, tenant, tags }] of subjects.entries()) {
      ec2.instances.set(`i-${index}`, { name, tags, owner: tenant?.id ?? 'none' })
    }
    const account = await at.attachEc2(ec2, { name: 'aws prod' })
    const targets = [at.projectId, web, data]

    const modelOf = ({ external_id }: Server) => {
      const { name, tags, tenant } = subjects[Number(external_id.slice(2))] ?? assert.fail()
      const owner = tenant?.id ?? 'none'
      return { name, tags: { Name: name, ...tags }, tenant: { id: owner, name: owner } }
    }

    await fc.assert(
      fc.asyncProperty(
        fc.array(ruleOf(targets), { maxLength: 6 }),
        fc.constantFrom(...targets),
        async (mapping, project_id) => {
          const earlier = await at.servers(account)
          const expected = new Map(
            earlier.map((server) => {
              const rule = firstRule(mapping, modelOf(server), account.name)
              return [server.id, { rule, to: mapping[rule]?.project_id ?? project_id }]
            }),
          )
          const { total, moves, projects, servers } = await preview(account, mapping, project_id)
          const moving = earlier.filter(
            (server) => expected.get(server.id)?.to !== server.project_id,
          )
          assert.deepEqual([total, moves], [30, moving.length])
          assert.deepEqual(
            new Map(servers.map(({ id, to_project_id: to, rule }) => [id, { rule, to }])),
            new Map(moving.map(({ id }) => [id, expected.get(id)])),
          )
          const counts = Object.fromEntries(projects.map((one) => [one.project_id, one.servers]))
          await at.update(account.id, { mapping, project_id })
          const later = await at.servers(account)
          assert.deepEqual(
            new Map(later.map((server) => [server.id, server.project_id])),
            new Map(Array.from(expected, ([id, { to }]) => [id, to])),
          )
          const found = Object.groupBy(later, (server) => server.project_id)
          assert.deepEqual(
            Object.fromEntries(Object.entries(found).map(([id, list = []]) => [id, list.length])),
            counts,
          )
        },
      ),
      { numRuns: 6 },
    )
    // A sync of new servers gives the same result.
    const places = (await at.servers(account)).map(({ id, project_id }) => [id, project_id])
    ec2.instances.forEach((instance, id) =>
      ec2.instances.set(id, { ...instance, state: 'stopped' }),
    )
    assert.equal((await at.sync(account.id)).sync.changed, 30)
    assert.deepEqual(
      (await at.servers(account)).map(({ id, project_id }) => [id, project_id]),
      places,
    )
  })
})
