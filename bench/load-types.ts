/** One request: what it adds to the URL and the headers of the load. */
export interface LoadRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Instead of one body: a body per request, each sent once. All have the same length. */
  readonly bodies?: readonly string[]
  /** Instead of one URL: these requests in order, repeated from the start. */
  readonly requests?: readonly LoadRequest[]
  /** Stop after the last request, if the time suffices. */
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
  /** Number of responses other than 2xx and 3xx. */
  readonly refused: number
}
