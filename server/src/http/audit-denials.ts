import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Denial, RecordDenial } from '../domain/audit/record-denial.ts'
import { PlatformError } from '../domain/error.ts'
import { summarizeUser } from '../domain/identity/user-status.ts'
import { originOf } from './origin.ts'

/** The denied change, if the error is a missing permission for a write. */
function findDenial(request: FastifyRequest, error: Error): Denial | undefined {
  const isDenied = error instanceof PlatformError && error.class === 'ForbiddenError'
  const { principal, method } = request
  const { operation } = request.routeOptions.config
  if (!isDenied || !principal || !operation || method === 'GET' || method === 'HEAD') return
  const named = request.params as Denial['named']
  const user = summarizeUser(principal.userStatus)
  return { user, origin: originOf(request), operation, named }
}

/** Records every denied write in the audit log, for all routes. */
export function auditDenials(app: FastifyInstance, writeDenial: RecordDenial): void {
  async function recordDenial(denial: Denial, request: FastifyRequest, done: () => void) {
    try {
      await writeDenial(denial)
    } catch (err) {
      request.log.error(
        { request_id: request.id, err },
        'could not record a denied request in the audit log',
      )
    }
    done()
  }

  // A callback hook, so that all other errors are answered in the same tick: the connection of an
  // aborted request may be closed in the next one.
  app.addHook('onError', (request, _reply, error, done) => {
    const denial = findDenial(request, error)
    if (denial) void recordDenial(denial, request, done)
    else done()
  })
}
