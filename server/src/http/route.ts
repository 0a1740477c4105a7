import type { Operation } from '@muster/contract'

/** What the hooks of every request know of its route: an operation, or a route of the gateway. */
export type Route = Pick<Operation, 'id' | 'method' | 'path' | 'permission' | 'responses'> &
  Partial<Pick<Operation, 'cache' | 'acceptsAnyHost'>>
