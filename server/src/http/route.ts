import type { Operation } from '@muster/contract'

/** The route of a request for hooks: an operation of the API or a route of the gateway. */
export type Route = Pick<Operation, 'id' | 'method' | 'path' | 'permission' | 'responses'> &
  Partial<
    Pick<Operation, 'cache' | 'acceptsAccessKey' | 'acceptsAnyHost' | 'hasPlatformRequestId'>
  > & {
    /** A token is also accepted as `Authorization: Bearer`. */
    readonly acceptsBearer?: true
  }
