import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { listOf, parseJson, textOf } from '../shared/json.ts'
import { shareConnections } from '../shared/share-connections.ts'
import { createKeystone, type Keystone, type Scope } from './keystone.ts'
import type { LookupCache } from './lookups.ts'
import { readOpenStackSettings, type OpenStackSettings } from './openstack-settings.ts'
import type { Reading } from './regions.ts'

/** What scans, events and single reads of an account share: connections, tokens and last answers. */
export interface Session {
  readonly settings: OpenStackSettings
  readonly http: HttpClient
  readonly keystone: Keystone
  readonly lookups: LookupCache
  /** What the last scan read in each region. */
  readonly plans: Map<string, readonly Reading[]>
  /** Names of projects by id. A name stays known when Keystone fails. */
  readonly projects: Map<string, string>
}

/** A page of 250 servers is under one MB. Lists of ports and images can be longer. */
const maxResponse = 16 * 2 ** 20

async function openSession(given: SourceSettings, context: SourceContext): Promise<Session> {
  const settings = readOpenStackSettings(given)
  const http = createHttpClient(context, { ...settings.tls, maxBytes: maxResponse })
  const keystone = createKeystone(http, settings, context.clock)
  return {
    settings,
    http,
    keystone,
    lookups: new Map(),
    plans: new Map(),
    projects: new Map(),
  }
}

export const acquireSession = shareConnections({
  target: 'OpenStack',
  open: openSession,
  close: async ({ http }) => http.close(),
})

/** Learns the names of all projects, if Keystone lists them for these credentials. */
export async function learnProjects(
  { keystone, http, settings, projects }: Session,
  scope: Scope,
  signal: AbortSignal,
): Promise<void> {
  const token = await keystone.getToken(scope, signal)
  projects.set(token.project.id, token.project.name)
  const url = new URL(`${settings.authUrl}/projects`)
  try {
    const response = await http.send({ url, headers: { 'x-auth-token': token.value } }, signal)
    if (response.status !== 200) return
    for (const project of listOf(parseJson(response.body, url.host), 'projects')) {
      projects.set(textOf(project, 'id'), textOf(project, 'name'))
    }
  } catch (error) {
    // Names are useful, but servers can be read without them.
    if (signal.aborted || !(error instanceof SourceError)) throw error
  }
}
