import type { Operation } from '@muster/contract'

/** What a route is known by, in the log, in metrics and in how it answers. */
export type Route = Pick<Operation, 'id' | 'method' | 'path' | 'permission' | 'responses'>
