/** The user for whom a query runs. The queue of slow queries is shared fairly among users. */
export interface Requester {
  readonly user: string
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal | undefined
  /** Whether the response has begun. A query for the rest of it waits for as long as the client does. */
  readonly isStreaming?: boolean
}
