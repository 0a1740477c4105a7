import type { StoredServer, SightingChanges } from './ports.ts'
import type { ServerFacts } from './server-facts.ts'

/** What a source reports: servers, and the ids of servers that no longer exist. */
export interface ReportedServers {
  readonly present: readonly ServerFacts[]
  readonly gone: readonly string[]
}

/** The account that reports servers, with what recording them needs to know of it. */
export interface ReportingAccount {
  readonly accountId: string
  readonly account: string
  /** The digest of the source's report of a server. */
  digestOf(id: string): string
  /** The ids of those servers, all held by other accounts, that stay with these accounts. */
  findHeldElsewhere(servers: readonly StoredServer[]): Promise<ReadonlySet<string>>
  /** For those servers that another account of the same domain sees: the changes that give them to it. */
  findSuccessors(
    servers: readonly StoredServer[],
  ): Promise<ReadonlyMap<string, Partial<StoredServer['server']>>>
  /** The ids of those servers that have another id by now. */
  findRenamed(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** The id of the server that replaces this one in another domain. */
  nextIdOf(id: string): string
  /** The changes of the account's sightings, written in the transaction of the servers. */
  sightingsOf(reported: ReportedServers): SightingChanges
}
