import type { Ports } from './configuration.ts'

/** Keystone's own API, called as its administrator. */
export interface TestKeystone {
  /** Ids by name. Each project has a user of its name who is a member, with the password `NAME-password`. */
  readonly projects: Readonly<Record<string, string>>
  readonly users: Readonly<Record<string, string>>
  call<Result>(method: string, path: string, body?: object): Promise<Result>
  /** Adds a user of the domain Default, with the password `NAME-password`. */
  addUser(name: string): Promise<string>
  /** Adds a project with a member of its name. */
  addProject(name: string, member?: string, role?: string): Promise<void>
  /** Adds a role that has all permissions of another one. */
  addRole(name: string, implied: string): Promise<void>
  /** Adds an application credential of a user in a project. */
  addApplicationCredential(
    user: string,
    project: string,
    role: string,
  ): Promise<{ readonly id: string; readonly secret: string }>
  /** A token of a user of the domain Default in a project. */
  issueToken(user: string, project: string): Promise<string>
  /** Waits until Nova answers. */
  waitForNova(): Promise<void>
  /** Assigns a role in a place such as `projects/ID`, `domains/default` or `system`. */
  assign(role: string, userId: string, place: string): Promise<void>
  unassign(role: string, userId: string, place: string): Promise<void>
}

interface Identity {
  readonly id: string
  readonly name: string
}

/** A token of a user of the domain Default. */
async function login(authUrl: string, name: string, scope: object): Promise<string> {
  const user = { name, domain: { id: 'default' }, password: `${name}-password` }
  const response = await fetch(`${authUrl}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    }),
  })
  const token = response.headers.get('x-subject-token')
  if (token === null) throw new Error(`${name} cannot log in: ${await response.text()}`)
  return token
}

/** Fills Keystone with projects, users and the catalog. */
export async function createKeystone(authUrl: string, ports: Ports): Promise<TestKeystone> {
  const domain = { id: 'default' }
  let token = await login(authUrl, 'admin', { project: { name: 'admin', domain } })

  async function call<Result>(method: string, path: string, body?: object): Promise<Result> {
    const response = await fetch(`${authUrl}/${path}`, {
      method,
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Result
  }
  const issueToken = (user: string, project: string) =>
    login(authUrl, user, { project: { name: project, domain } })
  const { roles } = await call<{ roles: Identity[] }>('GET', 'roles')
  const roleIds = new Map(roles.map(({ id, name }) => [name, id]))
  const pathOf = (role: string, userId: string, place: string) => {
    const path = `${place}/users/${userId}/roles/${roleIds.get(role)}`
    return place.startsWith('OS-INHERIT') ? `${path}/inherited_to_projects` : path
  }
  const assign = (role: string, userId: string, place: string) =>
    call<void>('PUT', pathOf(role, userId, place))
  const addUser = async (name: string) => {
    const user = { name, domain_id: 'default', password: `${name}-password` }
    return (await call<{ user: Identity }>('POST', 'users', { user })).user.id
  }

  const projects: Record<string, string> = {}
  const users: Record<string, string> = {}
  const addProject = async (name: string, member = name, role = 'member') => {
    const project = { name, domain_id: 'default' }
    const made = await call<{ project: Identity }>('POST', 'projects', { project })
    projects[name] = made.project.id
    users[member] = await addUser(member)
    await assign(role, users[member], `projects/${made.project.id}`)
  }
  await addProject('demo')
  await addProject('ops')
  await addProject('service', 'nova', 'admin')
  for (const [type, url] of [
    ['identity', authUrl],
    ['compute', `http://127.0.0.1:${ports.nova}/v2.1`],
    ['network', `http://127.0.0.1:${ports.network}`],
    ['volumev3', `http://127.0.0.1:${ports.volume}/v3/$(project_id)s`],
    ['image', `http://127.0.0.1:${ports.image}`],
    ['placement', `http://127.0.0.1:${ports.placement}`],
  ]) {
    const { service } = await call<{ service: Identity }>('POST', 'services', {
      service: { type, name: type },
    })
    for (const name of ['public', 'internal']) {
      const endpoint = { service_id: service.id, interface: name, region_id: 'RegionOne', url }
      await call('POST', 'endpoints', { endpoint })
    }
  }
  token = await login(authUrl, 'admin', { project: { name: 'admin', domain } })
  return {
    projects,
    users,
    call,
    addUser,
    addProject,
    assign,
    issueToken,
    async addRole(name, implied) {
      const { role } = await call<{ role: Identity }>('POST', 'roles', { role: { name } })
      roleIds.set(name, role.id)
      await call('PUT', `roles/${role.id}/implies/${roleIds.get(implied)}`)
    },
    async addApplicationCredential(user, project, role) {
      const own = await issueToken(user, project)
      const me = await fetch(`${authUrl}/auth/tokens`, {
        headers: { 'x-auth-token': own, 'x-subject-token': own },
      })
      const { token: issued } = (await me.json()) as { token: { user: Identity } }
      const response = await fetch(`${authUrl}/users/${issued.user.id}/application_credentials`, {
        method: 'POST',
        headers: { 'x-auth-token': own, 'content-type': 'application/json' },
        body: JSON.stringify({ application_credential: { name: role, roles: [{ name: role }] } }),
      })
      const made = (await response.json()) as {
        application_credential: { id: string; secret: string }
      }
      return made.application_credential
    },
    async waitForNova() {
      const url = `http://127.0.0.1:${ports.nova}/v2.1/servers/detail`
      const response = await fetch(url, { headers: { 'x-auth-token': token } })
      if (!response.ok) throw new Error(`Nova answers ${response.status}: ${await response.text()}`)
    },
    unassign: (role, userId, place) => call<void>('DELETE', pathOf(role, userId, place)),
  }
}
