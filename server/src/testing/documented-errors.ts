import assert from 'node:assert/strict'
import {
  errorStatusesOf,
  operations,
  servedMethodsOf,
  type ErrorBody,
  type ErrorClass,
  type Operation,
} from '@muster/contract'

const routes = (operations as readonly Operation[]).map((operation) => ({
  id: operation.id,
  methods: new Set(servedMethodsOf(operation)),
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  isExact: !operation.path.includes('{'),
  statuses: errorStatusesOf(operation),
}))

/** Errors of requests that match no operation: the path or the method is unknown to this process. */
const ofNoOperation = new Set<ErrorClass>(['NotFoundError', 'MethodNotAllowedError'])

/** Checks that the OpenAPI document lists the status of a client error, whichever operation answered it. */
export function assertDocumentedError(method: string, address: string, answer: unknown): void {
  const { code = 0, class: name } = (answer ?? {}) as Partial<ErrorBody>
  if (name === undefined || ofNoOperation.has(name) || code < 400 || code >= 500) return
  const [path = ''] = address.split('?', 1)
  const matching = routes.filter(
    ({ methods, pattern }) => methods.has(method) && pattern.test(path),
  )
  const route = matching.find(({ isExact }) => isExact) ?? matching[0]
  assert.ok(!route || route.statuses.includes(code), `${route?.id} answered ${code}`)
}
