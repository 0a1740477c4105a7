import { hash } from 'node:crypto'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { listOf, parseJson, textOf } from '../shared/json.ts'
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
  /** The last user to release it closes it. */
  release(): void
}

interface Entry {
  readonly session: Omit<Session, 'release'>
  users: number
}

const entries = new Map<string, Entry>()

function createSession(settings: OpenStackSettings, context: SourceContext): Entry {
  const http = createHttpClient(context, { ...settings.tls, maxBytes: maxResponse })
  const keystone = createKeystone(http, settings, context.clock)
  const caches = { lookups: new Map(), plans: new Map(), projects: new Map() }
  return { session: { settings, http, keystone, ...caches }, users: 0 }
}

/** A page of 250 servers is under one MB. Lists of ports and images can be longer. */
const maxResponse = 16 * 2 ** 20

/** Returns the session of the account, or a new one. Changed settings need another one. */
export function acquireSession(given: SourceSettings, context: SourceContext): Session {
  const settings = readOpenStackSettings(given)
  const { address, credentials, options } = given
  const key = `${context.accountId} ${hash('sha256', JSON.stringify([address, credentials, options]))}`
  const known = context.accountId === undefined ? undefined : entries.get(key)
  const entry = known ?? createSession(settings, context)
  if (context.accountId !== undefined) entries.set(key, entry)
  entry.users += 1
  let isReleased = false
  return {
    ...entry.session,
    release() {
      if (isReleased) return
      isReleased = true
      entry.users -= 1
      if (entry.users > 0) return
      if (entries.get(key) === entry) entries.delete(key)
      entry.session.http.close()
    },
  }
}

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
