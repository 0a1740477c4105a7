import type { StoredServer, SightingChanges } from './ports.ts'
import type { ServerFacts } from './server-facts.ts'

/** What a source saw: servers as they are, and the ids of those that are no longer there. */
export interface Seen {
  readonly present: readonly ServerFacts[]
  readonly gone: readonly string[]
}

/** An account, as far as it matters who saw a server. */
export interface ReportingAccount {
  readonly accountId: string
  readonly account: string
  /** Of what its source said of a server. */
  digestOf(id: string): string
  /** Of servers that other accounts hold, the ids of those that stay with them. */
  findHeldElsewhere(servers: readonly StoredServer[]): Promise<ReadonlySet<string>>
  /** Of servers that this account no longer sees, the ids of those that another one does. */
  findSeenElsewhere(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** What is noted with the scan: whom it saw, and whom no longer. */
  sightingsOf(seen: Seen): SightingChanges
}
