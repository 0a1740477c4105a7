import type {
  createHttpUpstream,
  DemoPeople,
  FindCasProviders,
  SessionStore,
  Upstream,
} from '@muster/gateway'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Demo } from '../demo-port.ts'
import { PlatformError } from '../domain/error.ts'
import { all } from '../domain/identity/administration/registry.ts'
import type { Clock } from '../domain/clock.ts'
import { everywhere } from '../domain/scope.ts'
import { registerGateway } from '../http/gateway/register-gateway.ts'
import { createInProcessUpstream } from '../http/gateway/in-process-upstream.ts'
import type { Database } from '../storage/database.ts'
import { createRegistry } from '../storage/registry/registry.ts'
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

function createFindCasProviders(database: Database): FindCasProviders {
  const registry = createRegistry(database)
  return async function findCasProviders() {
    const query = all({ driver: 'cas', enabled: true })
    const { items } = await registry.list('identity_providers', everywhere, query)
    return items.map(({ id, name, options }) => ({
      id,
      name,
      url: String(options['url']),
      serviceUrl: String(options['service_url']),
    }))
  }
}

async function openGateway(parts: Parts, store: SessionStore) {
  const { createGateway, createHttpUpstream } = await import('@muster/gateway')
  const { config, database, clock, demo } = parts
  const { upstream, close } = composeUpstream(parts, createHttpUpstream)
  const gateway = createGateway({
    store,
    upstream,
    findCasProviders: createFindCasProviders(database),
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
