import { people, type Person } from './state.ts'

const everything = 'scope=system&limit=2048&order_by=id&order=asc'

/** The first requests of each person. Lists are complete, so that data lost by an upgrade is noticed. */
const startPaths: Readonly<Record<Person, readonly string[]>> = {
  admin: [
    ...['domains', 'projects', 'users', 'groups', 'roles', 'policies'].map((key) => `/v3/${key}`),
    '/v3/role_assignments',
    '/v3/role_assignments?effective',
    '/v3/credentials',
    '/v3/identity_providers',
    '/v3/auth/projects',
    '/v3/auth/catalog',
    '/cloudaccounts?limit=2048&order_by=name&order=asc',
    `/servers?${everything}&details=true&with_meta=true`,
    `/servers?${everything}&deleted=true`,
    `/servers?${everything}&pending_delete=all`,
    `/servers?${everything}&q=tag:keeper`,
    `/servers?${everything}&search=web`,
    `/servers?${everything}&ip=10.0.0.0/8`,
    '/servers/statistics?scope=system&group_by=status&group_by=provider&group_by=metadata.keeper',
    ...['hosts', 'networks', 'cloudregions', 'zones', 'cloudproviders', 'images', 'flavors'].map(
      (keys) => `/${keys}?${everything}&details=true`,
    ),
    `/disks?${everything}`,
    '/views',
    '/events?limit=2048',
    '/tasks?scope=system&limit=2048&status=succeeded',
    '/batches?scope=system&limit=2048',
  ],
  vera: [
    '/v3/auth/projects',
    '/v3/auth/domains',
    '/v3/credentials',
    '/servers?limit=2048',
    '/views',
  ],
  guest: ['/v3/auth/projects', '/v3/auth/catalog'],
}

/** The members, policies and histories of what the lists name. */
function followUps(path: string, body: Record<string, unknown>): string[] {
  const idsOf = (key: string) =>
    ((body[key] ?? []) as readonly { id: string }[]).map(({ id }) => id)
  if (path === '/v3/groups') return idsOf('groups').map((id) => `/v3/groups/${id}/users`)
  if (path === '/v3/roles') return idsOf('roles').map((id) => `/v3/roles/${id}/policies`)
  if (!path.includes('tag:keeper')) return []
  return idsOf('servers').flatMap((id) => [`/servers/${id}`, `/servers/${id}/history`])
}

/** The responses of the platform at this address. Paths that this version does not have are left out. */
export async function readAnswers(
  url: string,
  tokens: Readonly<Record<Person, string>>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const person of people) {
    const paths = [...startPaths[person]]
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const response = await fetch(url + path, { headers: { 'x-auth-token': tokens[person] } })
      const text = await response.text()
      if (response.status === 404) continue
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
      // The port differs at every start.
      const body = JSON.parse(text.replaceAll(url, 'http://muster.test')) as Record<string, unknown>
      answers[`${person} ${path}`] = body
      paths.push(...followUps(path, body))
    }
  }
  return answers
}
