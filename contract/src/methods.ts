import type { Operation } from './operation.ts'

type Routed = Pick<Operation, 'method' | 'path'>

/** The HTTP methods of an operation. Keystone clients send PATCH, so under `/v3` it is an alias of PUT. */
export const methodsOf = ({ method, path }: Routed): string[] =>
  method === 'PUT' && path.startsWith('/v3') ? ['PUT', 'PATCH'] : [method]

/** The same, with the HEAD that every GET has. */
export const servedMethodsOf = (operation: Routed): string[] =>
  operation.method === 'GET' ? ['GET', 'HEAD'] : methodsOf(operation)

export const changesSomething = ({ method }: Pick<Operation, 'method'>): boolean =>
  method !== 'GET' && method !== 'HEAD'
