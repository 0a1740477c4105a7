import type { Server } from '@muster/contract'

/** Whether other servers may have the name as well, whatever the filters of the feed. */
export type IsShared = (name: string) => boolean

/** Renders the servers of a feed one by one. Each feed has its own instance. */
export interface FeedFormat {
  /** The most servers that the feed may have, if it remembers something of each. */
  readonly maxServers?: number
  readonly head: string
  /** Empty for a server that is left out. */
  readonly row: (server: Server, isShared: IsShared) => string
  readonly tail?: () => Iterable<string>
}
