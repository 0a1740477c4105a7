import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient, type HttpClient } from '../shared/http-client.ts'
import { shareConnections } from '../shared/share-connections.ts'
import { createKeystone, type Keystone } from './keystone.ts'
import type { LookupCache } from './lookups.ts'
import { readOpenStackSettings, type OpenStackSettings } from './openstack-settings.ts'
import type { ProjectInRegion } from './regions.ts'

/** What scans, events and single reads of an account share: connections, tokens and last responses. */
export interface Session {
  readonly settings: OpenStackSettings
  readonly http: HttpClient
  readonly keystone: Keystone
  /** By `ProjectInRegion.key`. */
  readonly lookups: Map<string, LookupCache>
  /** What the last scan read in each region. */
  readonly plans: Map<string, readonly ProjectInRegion[]>
  /** By id. A name stays known when Keystone fails. */
  readonly projectNames: Map<string, string>
}

/** Opens a session that is not shared. One that changes servers sends each request once. */
export function openSession(
  given: SourceSettings,
  context: SourceContext,
  options: { readonly sendsOnce?: boolean } = {},
): Session {
  const settings = readOpenStackSettings(given)
  const http = createHttpClient(context, { ...settings.tls, ...options })
  return {
    settings,
    http,
    keystone: createKeystone(http, settings, context.clock),
    lookups: new Map(),
    plans: new Map(),
    projectNames: new Map(),
  }
}

export const acquireSession = shareConnections({
  target: 'OpenStack',
  open: async (settings, context) => openSession(settings, context),
  close: async ({ http }) => http.close(),
})
