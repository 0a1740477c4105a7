/** Exports for sources in other packages: the types of the port, its error and the ids of servers. */
export { ActionError } from './domain/sources/action-port.ts'
export type * from './domain/sources/action-port.ts'
export { SourceError } from './domain/sources/source-error.ts'
export { serverIdOf } from './domain/sources/to-server-facts.ts'
export type * from './domain/sources/reported-parts.ts'
export type * from './domain/sources/reported-resources.ts'
export type * from './domain/sources/source.ts'
