/** One of many requests: what is its own beside the load's address and headers. */
export interface LoadRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Instead of one body, one for each request, none of which is sent twice. All are of one length. */
  readonly bodies?: readonly string[]
  /** Instead of the address alone, these one after the other, and again from the first. */
  readonly requests?: readonly LoadRequest[]
  /** Ends with the last of the requests, if there is time for it. */
  readonly once?: boolean
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  /** Milliseconds. */
  readonly p99: number
  /** Answers that were neither 2xx nor 3xx. */
  readonly refused: number
}
