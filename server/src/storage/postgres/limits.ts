/** How many connections a process may have, and how long its statements may take, by what they are for. */
export interface PostgresLimits {
  /** For requests: quick reads, and writes of a few rows. */
  readonly connections: number
  readonly timeout: number
  /** For reads that may take long; there are few, so that everybody else's stay quick. */
  readonly slowConnections: number
  readonly slowTimeout: number
  /** For writing servers. */
  readonly syncConnections: number
  readonly syncTimeout: number
}
