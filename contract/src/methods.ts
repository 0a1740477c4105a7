import type { Operation } from './operation.ts'

type Routed = Pick<Operation, 'method' | 'path'>

/** The methods that an operation's route takes. Under `/v3` PATCH is another word for PUT: Keystone's clients say it. */
export const methodsOf = ({ method, path }: Routed): string[] =>
  method === 'PUT' && path.startsWith('/v3') ? ['PUT', 'PATCH'] : [method]

/** The methods that it answers, with the HEAD that comes with each GET. */
export const servedMethodsOf = (operation: Routed): string[] =>
  operation.method === 'GET' ? ['GET', 'HEAD'] : methodsOf(operation)
