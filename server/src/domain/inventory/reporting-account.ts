import type { StoredServer, SightingChanges } from './ports.ts'
import type { ServerFacts } from './server-facts.ts'

/** What a source reports: servers, and the ids of servers that no longer exist. */
export interface ReportedServers {
  readonly present: readonly ServerFacts[]
  readonly gone: readonly string[]
}

/** An account that sees a server, and for which domain. */
export interface OtherAccount {
  readonly accountId: string
  readonly domainId: string | undefined
  /** Neither disabled nor being deleted. The others see nothing new. */
  readonly isActive: boolean
}

/** A server, and the domain that it goes to. */
export interface DomainServer {
  readonly id: string
  readonly domainId: string
}

/** The account that reports servers, with what recording them needs to know of it. */
export interface ReportingAccount {
  readonly accountId: string
  readonly account: string
  /** The digest of the source's report of a server. */
  digestOf(id: string): string
  /** The other accounts that see these servers, by server id. */
  findOthers(ids: readonly string[]): Promise<ReadonlyMap<string, readonly OtherAccount[]>>
  /** For those servers that another account of the same domain sees: the changes that give them to it. */
  findSuccessors(
    servers: readonly StoredServer[],
  ): Promise<ReadonlyMap<string, Partial<StoredServer['server']>>>
  /** The ids of those servers that have another id by now. */
  findRenamed(ids: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Deleted servers that were these ones before another domain took them over, by the ids of these. Only those
   * of the same domain, so that what users wrote returns to them.
   */
  findFormer(servers: readonly DomainServer[]): Promise<ReadonlyMap<string, StoredServer>>
  /** The changes of the account's sightings, written in the transaction of the servers. */
  sightingsOf(reported: ReportedServers): SightingChanges
}
