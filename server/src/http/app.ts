import type { FastifyRequest, FastifyBaseLogger } from 'fastify'
import {
  renderOpenApi,
  type DocumentedGateway,
  type Operation,
  type CachePolicy,
} from '@muster/contract'
import type { Administration } from '../domain/identity/administration/administration.ts'
import type { RecordDenial } from '../domain/audit/record-denial.ts'
import type { AuthenticateAccessKey } from '../domain/identity/authenticate-access-key.ts'
import type { VerifyToken } from '../domain/identity/verify-token.ts'
import { createAdministrationHandlers } from './administration/handlers.ts'
import { createAuthenticate } from './authenticate.ts'
import { createResponseMemory } from './response-memory.ts'
import { auditDenials } from './audit-denials.ts'
import { createOwnHosts, type HostSettings } from './host.ts'
import { createIdentityHandlers, type IdentityUseCases } from './identity.ts'
import type { ActionTickets } from '../domain/tasks/action-tickets.ts'
import type { CloudAccountUseCases } from '../domain/sources/administer-accounts.ts'
import { createCloudAccountHandlers } from './cloudaccounts/handlers.ts'
import { createChangeHandlers } from './inventory/change-handlers.ts'
import {
  createInventoryHandlers,
  type InventoryReads,
  type InventoryUseCases,
} from './inventory/handlers.ts'
import { createFeedHandlers } from './inventory/feed-handlers.ts'
import {
  createActionHandlers,
  createTaskHandlers,
  type TaskHandlerUseCases,
} from './tasks/handlers.ts'
import { createReadAt } from './inventory/read-at.ts'
import { createResourceHandlers } from './inventory/resource-handlers.ts'
import { createListener, hasEndlessBody, type ListenerSettings } from './listener.ts'
import { createMetrics, type OtherMetrics } from './metrics.ts'
import { mcpRole, mcpRoute } from './mcp/mcp-route.ts'
import { registerMcp } from './mcp/register-mcp.ts'
import { registerOperations } from './register-operations.ts'
import { answerInTurn } from './pipelining.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Health } from '../domain/health.ts'
import type { Tracer } from '../domain/tracer.ts'
import { createRateLimit } from '../domain/rate-limit.ts'
import { makeRequestId } from './request-id.ts'
import { serveCachedResponses, createResponseCache } from './response-cache.ts'
import { createRequestLog, logRequests, type AccessLog } from './request-log.ts'
import { createScrapeToken } from './scrape-token.ts'
import { closeStalledResponses } from './stalled-responses.ts'
import { createServiceHandlers } from './service.ts'
import { traceCachedResponse, traceRequests } from './trace-requests.ts'
import { createUnknownRouteFault } from './unknown-route.ts'
import type { CheckUseCases } from '../domain/checks/administer-checks.ts'
import { createCheckHandlers } from './checks/handlers.ts'
import type { ViewUseCases } from '../domain/views/administer-views.ts'
import { createViewHandlers } from './views/handlers.ts'

/**
 * Warns once when requests seem to come through a proxy that is not trusted: all its users then
 * count as one address, and share one limit on failed logins.
 */
function createProxyWarning(log: FastifyBaseLogger, trusted: readonly string[]) {
  let isWarned = trusted.length > 0
  return function warnOfUntrustedProxy({ socket }: FastifyRequest): void {
    if (isWarned) return
    isWarned = true
    log.warn(
      { peer: socket.remoteAddress },
      'requests have X-Forwarded-For, but no proxy is trusted: all clients behind the proxy share one address and one login limit; if it is your proxy, add it to --trusted-proxies',
    )
  }
}

/** The response headers of each cache policy. */
const cacheHeaders: Readonly<Record<CachePolicy, Readonly<Record<string, string>>>> = {
  default: { vary: 'Accept-Encoding' },
  private: {
    'cache-control': 'private, no-cache',
    vary: 'X-Auth-Token, Accept, Accept-Encoding',
  },
  revalidate: { 'cache-control': 'no-cache', vary: 'Accept-Encoding' },
  'no-store': { 'cache-control': 'no-store', vary: 'X-Auth-Token' },
}

/** Limits the bytes of concurrent response bodies: total, for each user and for each token. */
const bodyLimits = {
  name: 'requests for pages',
  capacity: 128 * 2 ** 20,
  perUser: 64 * 2 ** 20,
  perToken: 32 * 2 ** 20,
  maxWaiting: 1_024,
  maxWaitingPerKey: 256,
  maxWait: 30_000,
}

export interface AppSettings extends ListenerSettings, HostSettings {
  readonly platformName: string
  readonly memory: CacheMemory
  readonly requestsPerMinute: number
  readonly accessLog: AccessLog
  /** Absent unless traces are exported. */
  readonly tracer?: Tracer | undefined
  /** The file with the token of Prometheus. */
  readonly metricsTokenFile?: string | undefined
  /** Whether assistants may act. */
  readonly mcpActions: boolean
  /** Redirect target for browsers that request `/`. */
  readonly homePage: string
  /** The gateway in this process, if there is one. */
  readonly gateway?: DocumentedGateway | undefined
}

export interface AppUseCases extends IdentityUseCases, InventoryUseCases, TaskHandlerUseCases {
  readonly cloudAccounts: CloudAccountUseCases
  readonly tickets: ActionTickets
  readonly loadViews: () => Promise<ViewUseCases>
  readonly loadChecks: () => Promise<CheckUseCases>
  readonly administration: Administration
  readonly recordDenial: RecordDenial
  readonly verifyToken: VerifyToken
  readonly authenticateAccessKey: AuthenticateAccessKey
  readonly health: Pick<Health, 'check'>
  readonly otherMetrics: OtherMetrics
}

/** Creates the HTTP application with a route for each served operation. */
export function createApp(
  settings: AppSettings,
  useCases: AppUseCases,
  served: readonly Operation[],
) {
  const { clock, tracer } = settings
  const platformRequestIdHeader = `x-${settings.platformName}-request-id`
  let draining = false

  const app = createListener(settings, (operation) => {
    if (operation?.cache === undefined) return {}
    const headers = cacheHeaders[operation.cache]
    return operation.hasPlatformRequestId
      ? { ...headers, [platformRequestIdHeader]: makeRequestId() }
      : headers
  })
  const metrics = createMetrics(useCases.otherMetrics)
  metrics.observe(app)
  if (tracer) traceRequests(app, tracer)
  const log = createRequestLog(settings.accessLog)
  logRequests(app, log, platformRequestIdHeader)
  const warnOfUntrustedProxy = createProxyWarning(app.log, settings.trustedProxies)
  auditDenials(app, useCases.recordDenial)
  const ownHosts = createOwnHosts(settings)
  const hasMcp = served.some(({ servedBy }) => servedBy.includes(mcpRole))
  const findUnknownRouteFault = createUnknownRouteFault(hasMcp ? [...served, mcpRoute] : served)
  // Before the body is read, because a refused request does not use it.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers['x-forwarded-for'] !== undefined) warnOfUntrustedProxy(request)
    const { operation } = request.routeOptions.config
    const fault = operation?.acceptsAnyHost ? undefined : ownHosts.findFault(request)
    done(fault ?? (request.is404 ? findUnknownRouteFault(request, reply) : undefined))
  })
  app.decorateRequest('principal', undefined)
  app.decorateRequest('authorizedScope', undefined)
  app.decorateRequest('parameters', undefined)
  app.decorateRequest('userId', undefined)
  app.decorateRequest('reason', undefined)
  const closesAfter = (request: FastifyRequest) => draining || hasEndlessBody(request)
  app.addHook('onSend', (request, reply, payload, done) => {
    if (closesAfter(request)) reply.header('connection', 'close')
    done(null, payload)
  })

  const requestLimit =
    settings.requestsPerMinute === 0
      ? undefined
      : createRateLimit(
          settings.requestsPerMinute,
          'Too many requests with this token. Try again after the time in Retry-After.',
        )
  const responseCache = createResponseCache({
    findKnown: (secret) => useCases.verifyToken.findKnown(secret),
    countRequest: ({ token }) => requestLimit?.take(token.id, clock()) ?? true,
    isDraining: () => draining,
    memory: settings.memory,
    note({ operation, principal, status, ip }, requestId, ms) {
      metrics.count(operation, status, ms)
      if (tracer) traceCachedResponse(tracer, { operation, status }, requestId, ms)
      if (!log.isWanted(status)) return
      log.write({
        request_id: requestId,
        method: 'GET',
        path: operation.path,
        operation: operation.id,
        status,
        ms,
        ip,
        user_id: principal.token.userId,
      })
    },
  })
  serveCachedResponses(app, responseCache)
  answerInTurn(app.server)
  closeStalledResponses(app.server, settings.tls ? 'secureConnection' : 'connection')

  const readAt = createReadAt(useCases, useCases.readPast)
  const readServerAt = createReadAt<Pick<InventoryReads, 'getServer'>>(
    useCases,
    useCases.readPastServer,
  )
  const authenticate = createAuthenticate({
    verifyToken: useCases.verifyToken,
    authenticateAccessKey: useCases.authenticateAccessKey,
    requestLimit,
    ownHosts,
    scrapeToken:
      settings.metricsTokenFile === undefined
        ? undefined
        : createScrapeToken(settings.metricsTokenFile),
    clock,
  })
  registerOperations(app, served, {
    authenticate,
    remember: responseCache.remember,
    bodies: createResponseMemory(bodyLimits),
    closesAfter,
    handlers: {
      ...createIdentityHandlers({ ...useCases, ...settings }),
      ...createAdministrationHandlers({ ...useCases, ...settings }),
      ...createInventoryHandlers(useCases, settings, readAt, readServerAt),
      ...createChangeHandlers(useCases, settings, readServerAt),
      ...createActionHandlers(useCases, settings),
      ...createTaskHandlers(useCases, settings),
      ...createFeedHandlers(readAt),
      ...createResourceHandlers(settings, readAt),
      ...createViewHandlers(useCases.loadViews, settings),
      ...createCheckHandlers(useCases.loadChecks, settings),
      ...createCloudAccountHandlers(useCases.cloudAccounts, settings),
      ...createServiceHandlers({
        renderOpenApi: () =>
          renderOpenApi(served, [settings.authUrl, settings.baseUrl], settings.gateway),
        metrics,
        health: useCases.health,
        isDraining: () => draining,
      }),
    },
  })

  if (hasMcp) {
    const tickets = settings.mcpActions ? useCases.tickets : undefined
    registerMcp(app, { authenticate, ownHosts, settings, tickets })
  }

  return {
    app,
    /** Reports not ready from now on, and closes each connection after its response. */
    drain(): void {
      draining = true
    },
  }
}
