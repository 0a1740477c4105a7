import { demoProjects } from '../simulator/src/demo/organisation.ts'
import { shuffle } from './random.ts'
import { logIn, post, sendLogin } from './server.ts'

/** A project of a fleet, the token of a user who may view it, and the number of its servers. */
export interface FleetProject {
  readonly id: string
  readonly token: string
  readonly servers: number
}

/** What is needed to request the servers of a fleet. */
export interface FleetKeys {
  /** The token of an administrator, for `scope=system`. */
  readonly systemToken: string
  readonly projects: readonly FleetProject[]
  /** Ids of servers of all projects, in random order. */
  readonly ids: readonly string[]
}

const mostProjects = 1_000
const mostIds = 100_000
const atOnce = 4
const password = 'someone who looks at servers'

interface Created {
  readonly user?: { readonly id: string }
}

async function requireOk(response: Response): Promise<Response> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return response
}

/** Creates the users and tokens that read a fleet. Tokens are stored between runs, so they need a long lifetime. */
export async function createFleetKeys(url: string, size: number): Promise<FleetKeys> {
  const systemToken = await logIn(url)
  const get = async (path: string, token = systemToken) =>
    await requireOk(await fetch(url + path, { headers: { 'x-auth-token': token } }))

  const { roles } = (await (await get('/v3/roles')).json()) as {
    roles: { id: string; name: string }[]
  }
  const viewer = roles.find(({ name }) => name === 'project_viewer')?.id ?? ''
  // An interrupted run may have left its users.
  const run = Date.now().toString(36)

  /** One user per project, as in a real organisation. */
  async function createViewer({ id, domain_id }: { id: string; domain_id: string }) {
    const wanted = { user: { name: `bench-${run}-${id}`, domain_id, password } }
    const made = await requireOk(await post(url, '/v3/users', JSON.stringify(wanted), systemToken))
    const { user } = (await made.json()) as Created
    await requireOk(
      await fetch(`${url}/v3/projects/${id}/users/${user?.id}/roles/${viewer}`, {
        method: 'PUT',
        headers: { 'x-auth-token': systemToken },
      }),
    )
    const identity = { methods: ['password'], password: { user: { id: user?.id, password } } }
    const login = { auth: { identity, scope: { project: { id } } } }
    const token = await sendLogin(url, JSON.stringify(login))
    const { total } = (await (await get('/servers?limit=0', token)).json()) as { total: number }
    return { id, token, servers: total }
  }

  const waiting = demoProjects(size).slice(0, mostProjects)
  const projects: FleetProject[] = []
  const queue = waiting.values()
  const work = async () => {
    for (const project of queue) projects.push(await createViewer(project))
  }
  await Promise.all(Array.from({ length: atOnce }, work))

  const list = await get('/servers?scope=system&format=ndjson&field=id')
  const ids = (await list.text()).match(/[0-9a-f-]{36}/g) ?? []
  return { systemToken, projects, ids: shuffle(ids).slice(0, mostIds) }
}
