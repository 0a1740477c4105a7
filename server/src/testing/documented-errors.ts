import assert from 'node:assert/strict'
import {
  operations,
  renderOpenApi,
  servedMethodsOf,
  type ErrorBody,
  type ErrorClass,
  type Operation,
} from '@muster/contract'

const { paths } = renderOpenApi(operations, [])

const routes = (operations as readonly Operation[]).map((operation) => ({
  id: operation.id,
  methods: new Set(servedMethodsOf(operation)),
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  isExact: !operation.path.includes('{'),
  responses: paths[operation.path]?.[operation.method.toLowerCase()]?.responses ?? {},
}))

/** That no operation was called: its path is unknown to this process, or the method. */
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
  assert.ok(!route || Object.hasOwn(route.responses, code), `${route?.id} answered ${code}`)
}
