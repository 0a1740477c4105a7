import type { CasAnswer } from './read-cas-answer.ts'

/** What has to be known of a CAS server to ask it. All of it is configuration, none the caller's. */
export interface CasEndpoint {
  /** The address that the protocol's paths are put behind. */
  readonly url: string
  readonly serviceUrl: string
  readonly protocol: 2 | 3
  /** The authority that signed the server's certificate, as PEM; null: one that everybody knows. */
  readonly ca: string | null
}

/** The server at which a ticket was got. It alone can say whose it is. */
export interface CasServer {
  /** Throws the one 401 unless the server says that the ticket is good. */
  validate(provider: CasEndpoint, ticket: string): Promise<CasAnswer>
}
