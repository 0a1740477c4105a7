import type {
  createHttpUpstream,
  DemoPeople,
  ProviderLogins,
  SessionStore,
  Upstream,
} from '@muster/gateway'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Demo } from '../demo-port.ts'
import { PlatformError } from '../domain/error.ts'
import type { Clock } from '../domain/clock.ts'
import type { RequireCode } from '../domain/identity/factors/require-code.ts'
import type { BrowserLogins } from '../domain/identity/providers/browser-logins.ts'
import type { ProviderLogouts } from '../domain/identity/providers/provider-logouts.ts'
import { registerGateway } from '../http/gateway/register-gateway.ts'
import { createInProcessUpstream } from '../http/gateway/in-process-upstream.ts'
import type { Database } from '../storage/database.ts'
import { createSessionStore } from '../storage/sessions/session-store.ts'
import { version } from '../version.ts'
import { consoleFolder } from './console-folder.ts'
import { loadOnce } from './load-once.ts'

interface Parts {
  readonly app: FastifyInstance
  readonly config: Pick<Config, 'roles' | 'publicUrl' | 'platformName' | 'sessionIdle'>
  readonly authUrl: string
  readonly baseUrl: string
  readonly database: Database
  readonly browserLogins: BrowserLogins & ProviderLogouts
  readonly requireCode: RequireCode
  readonly clock: Clock
  readonly demo: Demo | undefined
}

type CreateHttp = typeof createHttpUpstream

/** The demo users shown on the login page: those whose password is unchanged. */
const peopleOf = ({ users }: Demo): DemoPeople =>
  users.flatMap(({ name, password, domain, role, project = null }) =>
    password === undefined ? [] : [{ name, password, domain, role, project }],
  )

/** Operations that this process serves are called in process, others over HTTP at the configured addresses. */
function composeUpstream({ app, config, authUrl, baseUrl }: Parts, createHttp: CreateHttp) {
  const inProcess = createInProcessUpstream(app)
  const http = createHttp({ authUrl, baseUrl })
  const upstream: Upstream = (request) =>
    request.servedBy.some((role) => config.roles.includes(role))
      ? inProcess(request)
      : http.ask(request)
  return { upstream, close: http.close }
}

/** The browser is told only that the provider does not respond; the log has the reason. */
const withLog = ({ browserLogins, app }: Parts): ProviderLogins => ({
  ...browserLogins,
  async begin(id, callback, purpose) {
    try {
      return await browserLogins.begin(id, callback, purpose)
    } catch (error) {
      app.log.warn({ err: error, identity_provider: id }, 'a login at a provider could not begin')
      throw error
    }
  },
})

async function openGateway(parts: Parts, store: SessionStore) {
  const { createGateway, createHttpUpstream } = await import('@muster/gateway')
  const { config, clock, demo } = parts
  const { upstream, close } = composeUpstream(parts, createHttpUpstream)
  const gateway = createGateway({
    store,
    upstream,
    providerLogins: withLog(parts),
    requireCode: parts.requireCode,
    createError: (errorClass, details, options) => new PlatformError(errorClass, details, options),
    clock,
    idle: config.sessionIdle,
    publicUrl: config.publicUrl,
    platform: config.platformName,
    version,
    demo: demo && peopleOf(demo),
    consoleFolder,
  })
  return { ...gateway, close }
}

/** Registers the gateway on the listener of this process. Most of it is loaded at the first request. */
export function composeGateway(parts: Parts) {
  const { app, config, database, clock } = parts
  const store = createSessionStore(database)
  let opened: Awaited<ReturnType<typeof openGateway>> | undefined
  registerGateway(
    app,
    loadOnce(async () => (opened = await openGateway(parts, store))),
  )
  return {
    purgeSessions: () => store.purge({ seen: clock() - config.sessionIdle, now: clock() }),
    close: (): void => opened?.close(),
  }
}
