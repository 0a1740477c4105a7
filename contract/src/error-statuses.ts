import type { GatewayOperation } from './gateway/operations.ts'
import { changesSomething } from './methods.ts'
import type { Operation } from './operation.ts'

/** Malformed or unknown input, a sender too slow, a wrong content type, too many headers. */
const ofAnyRequest = [400, 408, 415, 431]

/** The statuses of an operation's client errors, derived from what its requests contain. */
export function errorStatusesOf(operation: Operation | GatewayOperation): readonly number[] {
  const { access, acceptsAnyHost, headers, path, moreErrors = [] } = operation
  const isOfGateway = !('rateLimit' in operation)
  const rateLimit = isOfGateway ? 'unlimited' : operation.rateLimit
  const writes = changesSomething(operation)
  const takes = (header: string) => headers?.properties[header] !== undefined
  const conditional: readonly (readonly [status: number, holds: boolean])[] = [
    [401, access !== 'public' || rateLimit === 'login'],
    // A gateway refuses pages of other origins.
    [403, isOfGateway || operation.permission !== undefined],
    [404, path.includes('{')],
    // A path can also hold a name, which several resources may share.
    [409, access === 'token' && (writes || path.includes('{'))],
    [412, takes('if-match')],
    [413, writes],
    [421, !acceptsAnyHost],
    [422, takes('idempotency-key')],
    [429, rateLimit !== 'unlimited'],
  ]
  const held = conditional.filter(([, holds]) => holds).map(([status]) => status)
  return [...new Set([...ofAnyRequest, ...held, ...moreErrors])].sort((one, other) => one - other)
}
