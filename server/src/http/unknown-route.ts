import { servedMethodsOf, type Operation } from '@muster/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlatformError } from '../domain/error.ts'

type Routed = Pick<Operation, 'method' | 'path'>

/** The error for a request without a route: 405 if the path exists with other methods, otherwise 404. */
export function createUnknownRouteFault(served: readonly Routed[]) {
  return function findUnknownRouteFault(request: FastifyRequest, reply: FastifyReply) {
    const methods = methodsAt(request.url, served)
    if (methods.length === 0)
      return new PlatformError('NotFoundError', 'No such path. See /docs for the API reference.')
    const allowed = methods.join(', ')
    reply.header('allow', allowed)
    return new PlatformError(
      'MethodNotAllowedError',
      `Method not allowed. Allowed here: ${allowed}.`,
    )
  }
}

function methodsAt(url: string, served: readonly Routed[]): string[] {
  const [path = ''] = url.split('?')
  const steps = path.replace(/\/$/, '').split('/').map(decodeStep)
  const matching = served.filter((operation) => {
    const pattern = operation.path.replace(/\/$/, '').split('/')
    return (
      pattern.length === steps.length &&
      pattern.every((step, index) => step.startsWith('{') || step === steps[index])
    )
  })
  return [...new Set(matching.flatMap(servedMethodsOf))]
}

/** Decodes a path segment as the router does. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
