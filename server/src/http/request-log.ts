import { pollHeader } from '@muster/contract'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './origin.ts'

/** The log line of a request, without query, headers and body. */
export interface RequestLine {
  readonly request_id: string
  readonly platform_request_id?: unknown
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  readonly status: number
  readonly ms: number
  readonly ip: string
  readonly user_id: string | undefined
  readonly reason?: string | undefined
}

/** Where requests are logged, and which. A reload of the settings changes it. */
export interface AccessLog {
  readonly logger: FastifyBaseLogger
  /** One of how many successful requests is logged. Failed ones always are. 0: none at all. */
  interval: number
}

const levels: ReadonlySet<string> = new Set(['info', 'debug', 'trace'])

/** Logs one line for a request, if the access log and its log level include it. */
export function createRequestLog(accessLog: AccessLog) {
  const { logger } = accessLog
  let successful = 0
  return {
    /** Checked before the line is built. */
    isWanted(status: number): boolean {
      if (accessLog.interval === 0 || !levels.has(logger.level)) return false
      if (status >= 400) return true
      successful += 1
      return successful % accessLog.interval === 0
    },
    write(line: RequestLine, level: 'info' | 'debug' = 'info'): void {
      logger[level]({ ...line, ms: Math.round(line.ms * 10) / 10 }, 'request')
    },
  }
}
export type RequestLog = ReturnType<typeof createRequestLog>

const operationsOfPolls = new Set(['forwardRequest', 'showAuthCatalog'])

/**
 * The console polls the catalog every 2 s to detect a lost connection. Polls of other data stay in the log, as
 * requests of the API, so that a caller cannot hide them with the header.
 */
const isPoll = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  request.method === 'GET' &&
  request.headers[pollHeader] === '1' &&
  statusCode < 400 &&
  operationsOfPolls.has(request.routeOptions.config.operation?.id ?? '')

/** Logs all requests that Fastify handles. */
export function logRequests(
  app: FastifyInstance,
  log: RequestLog,
  platformRequestIdHeader: string,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (log.isWanted(reply.statusCode)) {
      const level = isPoll(request, reply) ? 'debug' : 'info'
      log.write(lineOf(request, reply, platformRequestIdHeader), level)
    }
    done()
  })
}

function lineOf(request: FastifyRequest, reply: FastifyReply, idHeader: string): RequestLine {
  const { operation } = request.routeOptions.config
  return {
    request_id: request.id,
    platform_request_id: reply.getHeader(idHeader),
    method: request.method,
    // The logger masks and truncates values from callers.
    path: operation?.path ?? request.url,
    operation: operation?.id,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    ip: addressOf(request),
    user_id: request.userId,
    reason: request.reason,
  }
}
