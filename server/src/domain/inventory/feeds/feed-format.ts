import type { Server } from '@muster/contract'

/** Whether other servers may have the name as well, whatever the filters of the feed. */
export type IsShared = (name: string) => boolean

/** Turns servers into the text of a feed, one after another. Made anew for each feed. */
export interface FeedFormat {
  /** The most servers that the feed may have, if it remembers something of each. */
  readonly maxServers?: number
  readonly head: string
  /** Empty for a server that is left out. */
  readonly row: (server: Server, isShared: IsShared) => string
  readonly tail?: () => Iterable<string>
}
