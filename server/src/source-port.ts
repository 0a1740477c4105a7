/** What a source outside this package needs to implement the port: its types, its error and the ids of servers. */
export { SourceError } from './domain/sources/source-error.ts'
export { serverIdOf } from './domain/sources/to-server-facts.ts'
export type * from './domain/sources/source.ts'
