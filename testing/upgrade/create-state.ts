import assert from 'node:assert/strict'
import { eventually } from '../../server/src/testing/eventually.ts'
import { startFakeEc2 } from '../../server/src/testing/fake-ec2.ts'
import { startFakeLibvirt } from '../../server/src/testing/fake-libvirt.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { startFakeCas } from '../../server/src/testing/fake-cas.ts'
import { guestAttributes, guestSubject, veraPassword, type State } from './state.ts'

interface Thing {
  readonly id: string
  readonly blob: string
  readonly sync: { readonly state: string; readonly finished_at: string | null }
}
type Body = Readonly<Record<string, Thing>>

export const adminPassword = 'correct horse battery staple'

/** Uses only HTTP, so that it works with any version. */
function createCaller(url: string) {
  async function send(method: string, path: string, token: string, body?: unknown) {
    return await fetch(url + path, {
      method,
      headers: {
        ...(token !== '' && { 'x-auth-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        origin: url,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  async function call(method: string, path: string, token: string, body?: unknown): Promise<Body> {
    const response = await send(method, path, token, body)
    const text = await response.text()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Body)
  }

  return {
    send,
    call,
    /** Whether this version has the path. */
    knows: async (path: string, token: string) => (await send('GET', path, token)).status !== 404,
    async create(path: string, key: string, token: string, wish: object): Promise<Thing> {
      const { [key]: thing } = await call('POST', path, token, { [key]: wish })
      assert.ok(thing)
      return thing
    },
    async logIn(identity: object, scope?: object): Promise<string> {
      const response = await send('POST', '/v3/auth/tokens', '', { auth: { identity, scope } })
      assert.equal(response.status, 201, await response.text())
      return response.headers.get('x-subject-token') ?? ''
    },
  }
}
type Caller = ReturnType<typeof createCaller>

const password = (name: string, domain: string, secret: string) => ({
  methods: ['password'],
  password: { user: { name, domain: { name: domain }, password: secret } },
})

async function fillIdentity(caller: Caller, admin: string, lifetime: Lifetime) {
  const { call, create, logIn } = caller
  const add = (key: string, wish: object, keys = `${key}s`) =>
    create(`/v3/${keys}`, key, admin, wish)
  const put = (path: string) => call('PUT', path, admin)
  const { roles } = (await call('GET', '/v3/roles', admin)) as unknown as {
    roles: readonly { id: string; name: string }[]
  }
  const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? ''

  const domain = await add('domain', { name: 'Observatory', description: 'On the hill' })
  await add('domain', { name: 'Closed', enabled: false })
  const project = await add('project', { name: 'spectra', domain_id: domain.id })
  const other = await add('project', { name: 'Fotoplatten – 写真', domain_id: domain.id })
  await add('project', { name: 'over', domain_id: domain.id, enabled: false })
  const vera = await add('user', {
    name: 'vera',
    domain_id: domain.id,
    password: veraPassword,
    displayname: 'Vera Rubin',
    email: 'vera@observatory.example',
    mobile: '+1 202 555 0100',
    default_project_id: project.id,
  })
  await add('user', { name: 'left', domain_id: domain.id, password: veraPassword, enabled: false })
  await add('user', { name: 'passing', domain_id: 'default', expires_at: '2099-01-01T00:00:00Z' })
  const group = await add('group', { name: 'observers', domain_id: domain.id })
  await put(`/v3/groups/${group.id}/users/${vera.id}`)
  const rule = { service: 'compute', resource: 'servers', action: 'list', effect: 'allow' }
  const policy = await add(
    'policy',
    { name: 'lists servers', scope: 'project', rules: [rule] },
    'policies',
  )
  const role = await add('role', { name: 'lister', description: 'Lists servers' })
  await put(`/v3/roles/${role.id}/policies/${policy.id}`)
  await put(`/v3/projects/${project.id}/users/${vera.id}/roles/${roleId('project_owner')}`)
  await put(`/v3/projects/${other.id}/groups/${group.id}/roles/${role.id}`)
  await put(`/v3/domains/${domain.id}/users/${vera.id}/roles/${roleId('domain_viewer')}`)
  await put(`/v3/system/users/${vera.id}/roles/${roleId('auditor')}`)

  const cas = await startFakeCas(lifetime)
  await create('/v3/identity_providers', 'identity_provider', admin, {
    name: 'campus',
    driver: 'cas',
    url: cas.base,
    service_url: 'https://muster.test/api/session/cas',
    domain_id: domain.id,
    ca: testAuthority,
    mapping: [{ attribute: 'group', value: 'visitors', role_id: role.id, project_id: project.id }],
  })
  const ticket = cas.ticketFor(guestSubject, guestAttributes)
  const scope = { project: { id: project.id } }
  const tokens = {
    admin,
    vera: await logIn(password('vera', 'Observatory', veraPassword), scope),
    guest: await logIn({ methods: ['cas'], cas_ticket: { id: ticket } }, scope),
  }

  const wish = { type: 'aksk', project_id: project.id, name: 'nightly export' }
  const key = await create('/v3/credentials', 'credential', tokens.vera, wish)
  await create('/v3/credentials', 'credential', tokens.vera, {
    ...wish,
    name: 'for a while',
    expires_at: '2099-01-01T00:00:00Z',
  })
  const { secret } = JSON.parse(key.blob) as { secret: string }
  await logIn({ methods: ['aksk'], access_key_secret: `${key.id}:${secret}` })
  return { tokens, accessKey: { id: key.id, secret }, projectId: project.id }
}

/** Actions on the servers of an account: single ones, a batch, and one server in the recycle bin. */
async function fillTasks({ call, knows }: Caller, admin: string, accountId: string): Promise<void> {
  if (!(await knows('/tasks', admin))) return
  await call('PUT', `/cloudaccounts/${accountId}`, admin, { cloudaccount: { access: 'manage' } })
  const list = async <Row>(path: string, key: string) => {
    const body: Readonly<Record<string, unknown>> = await call('GET', path, admin)
    return body[key] as readonly Row[]
  }
  const query = `scope=system&account_id=${accountId}&status=running&order_by=name&order=asc`
  const servers = await list<Thing>(`/servers?${query}`, 'servers')
  const [stopped, noted, deleted, ...batch] = servers.slice(0, 5).map(({ id }) => id)
  await call('POST', `/servers/${stopped}/stop`, admin, {})
  const notes = { description: 'Ask Vera first – 写真', disable_delete: true }
  await call('PUT', `/servers/${noted}`, admin, { server: notes })
  await call('DELETE', `/servers/${deleted}`, admin)
  await call('POST', '/servers/batch', admin, {
    batch: { action: 'stop', ids: [...batch, 'nobody-has-this-id'] },
  })
  const unfinished = async () => {
    const tasks = await list<{ status: string }>('/tasks?scope=system&limit=100', 'tasks')
    return tasks.length < 4 || tasks.some(({ status }) => /^(?:queued|running)$/.test(status))
  }
  for (let tries = 0; await unfinished(); tries += 1) {
    assert.ok(tries < 600, 'the tasks do not end')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function fillAccounts(
  caller: Caller,
  admin: string,
  projectId: string,
  lifetime: Lifetime,
): Promise<State['credentials']> {
  const { call, create, knows } = caller
  if (!(await knows('/cloudaccounts', admin))) return {}
  const show = async (id: string) => {
    const { cloudaccount } = await call('GET', `/cloudaccounts/${id}`, admin)
    assert.ok(cloudaccount)
    return cloudaccount
  }
  async function attach(wish: object): Promise<string> {
    const account = { project_id: projectId, period: 3_600, ...wish }
    const { id } = await create('/cloudaccounts', 'cloudaccount', admin, account)
    for (let tries = 0; (await show(id)).sync.finished_at === null; tries += 1) {
      assert.ok(tries < 600, `${JSON.stringify(wish)} is not synced`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return id
  }

  const ec2 = await startFakeEc2(lifetime)
  ec2.instances.set('i-0a1', { name: 'web-1', tags: { env: 'prod', team: 'sky' } })
  ec2.instances.set('i-0a2', { name: 'db-1', state: 'stopped' })
  const { address, credentials } = ec2.settings
  const amazon = { provider: 'Aws', address, credentials }
  await attach({
    name: 'amazon',
    ...amazon,
    mapping: [{ tag: 'team=sky', project_id: projectId }],
  })
  // Sees the same servers.
  await attach({ name: 'amazon again', ...amazon })
  const libvirt = await startFakeLibvirt(lifetime, {
    domains: [{ uuid: '5f0c3f0e-1111-4222-8333-444455556666', name: 'guest-1', xml: guestXml }],
  })
  await attach({ name: 'hill', provider: 'OneCloud', address: libvirt.address })
  const simulated = { name: 'made-up', provider: 'Simulator', options: { servers: 12, seed: 7 } }
  await fillTasks(caller, admin, await attach(simulated))

  // From here on nothing changes, neither during the recording nor after the upgrade.
  const { cloudaccounts } = (await call('GET', '/cloudaccounts?limit=2048', admin)) as unknown as {
    cloudaccounts: readonly Thing[]
  }
  for (const { id } of cloudaccounts) {
    await call('PUT', `/cloudaccounts/${id}`, admin, { cloudaccount: { enabled: false } })
  }
  for (const { id } of cloudaccounts) {
    await eventually('the sync ends', async () => (await show(id)).sync.state !== 'running')
  }
  return { amazon: credentials, 'amazon again': credentials }
}

const guestXml = `<domain type='kvm'>
  <name>guest-1</name><uuid>5f0c3f0e-1111-4222-8333-444455556666</uuid>
  <memory unit='KiB'>1048576</memory><vcpu>2</vcpu>
</domain>`

/** Tags of users on servers. */
async function fillTags({ call, knows }: Caller, admin: string): Promise<void> {
  if (!(await knows('/servers', admin))) return
  const { servers } = (await call('GET', '/servers?scope=system&limit=3', admin)) as unknown as {
    servers: readonly Thing[]
  }
  for (const { id } of servers) {
    const metadata = { keeper: 'vera', 'last looked': 'yesterday – 昨日' }
    await call('POST', `/servers/${id}/metadata`, admin, { metadata })
  }
}

async function fillViews({ create, knows }: Caller, vera: string): Promise<void> {
  if (!(await knows('/views', vera))) return
  for (const sharing of ['private', 'project']) {
    await create('/views', 'view', vera, {
      name: `Mine, ${sharing}`,
      q: 'status:running vcpu>=2 tag:keeper=vera',
      columns: ['name', 'status', 'metadata.keeper'],
      order_by: ['name'],
      order: 'asc',
      sharing,
    })
  }
}

/** A browser's session: its cookie. */
async function openSession({ send, knows }: Caller): Promise<Pick<State, 'cookie'>> {
  if (!(await knows('/api/login', ''))) return {}
  const login = { name: 'vera', domain: 'Observatory', password: veraPassword }
  const response = await send('POST', '/api/session', '', login)
  assert.equal(response.status, 201, await response.text())
  return { cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
}

/** Fills a running Muster of any version with every kind of resource that it has. */
export async function createState(url: string, lifetime: Lifetime) {
  const caller = createCaller(url)
  const scope = { project: { name: 'system', domain: { name: 'Default' } } }
  const admin = await caller.logIn(password('sysadmin', 'Default', adminPassword), scope)
  const { projectId, ...identity } = await fillIdentity(caller, admin, lifetime)
  const credentials = await fillAccounts(caller, admin, projectId, lifetime)
  await fillTags(caller, admin)
  await fillViews(caller, identity.tokens.vera)
  return { ...identity, credentials, ...(await openSession(caller)) }
}
