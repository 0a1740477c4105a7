import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Denial, RecordDenial } from '../domain/audit/record-denial.ts'
import { PlatformError } from '../domain/error.ts'
import { summarizeUser } from '../domain/identity/user-status.ts'
import { originOf } from './origin.ts'

/** The change that an error refuses for want of a right, if that is what it does. */
function findDenial(request: FastifyRequest, error: Error): Denial | undefined {
  const isDenied = error instanceof PlatformError && error.class === 'ForbiddenError'
  const { principal, method } = request
  const { operation } = request.routeOptions.config
  if (!isDenied || !principal || !operation || method === 'GET' || method === 'HEAD') return
  const named = request.params as Denial['named']
  const user = summarizeUser(principal.userStatus)
  return { user, origin: originOf(request), operation, named }
}

/** Tells the audit log of every change that was refused for want of a right, whichever route it was. */
export function auditDenials(app: FastifyInstance, recordDenial: RecordDenial): void {
  async function tell(denial: Denial, request: FastifyRequest, done: () => void): Promise<void> {
    try {
      await recordDenial(denial)
    } catch (err) {
      request.log.error(
        { request_id: request.id, err },
        'could not record a denied request in the audit log',
      )
    }
    done()
  }

  // With a callback, so that all other errors are answered at once: a moment later the connection
  // of a request that broke off may be gone.
  app.addHook('onError', (request, _reply, error, done) => {
    const denial = findDenial(request, error)
    if (denial) void tell(denial, request, done)
    else done()
  })
}
