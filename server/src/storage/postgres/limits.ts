/** The connections of a process and the timeouts of its statements, by purpose. */
export interface PostgresLimits {
  /** Quick reads, and writes of a few rows. */
  readonly connections: number
  /** Milliseconds to wait for a free one. After that, the response to the request is 503. */
  readonly wait: number
  readonly timeout: number
  /** Slow queries: few connections, so that quick reads stay quick. */
  readonly slowConnections: number
  readonly slowTimeout: number
  /** Commits of servers. */
  readonly syncConnections: number
  readonly syncTimeout: number
  /** Milliseconds after which a commit that lost against others is not tried again. */
  readonly retryTime: number
}
