import { routes } from './contract.ts'
import type { AnyOperationId } from './operations.ts'

/** The part of an operation that is known at run time. */
interface Route {
  readonly method: string
  readonly path: string
  /** Needs no authentication. */
  readonly isPublic: boolean
  /** Returns text instead of JSON. */
  readonly returnsText: boolean
  /** A repeated request with the same `Idempotency-Key` acts once. */
  readonly takesKey: boolean
}

export function routeOf(id: AnyOperationId): Route {
  const [method = '', path = '', ...properties] = routes[id].split(' ')
  return {
    method,
    path,
    isPublic: properties.includes('public'),
    returnsText: properties.includes('text'),
    takesKey: properties.includes('key'),
  }
}
