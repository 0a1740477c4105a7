/** When a password may cross the network without TLS. */
export type PlainText = 'never' | 'loopback' | 'always'

/** A server of a directory, from the options of a provider. */
export interface LdapServer {
  /** `ldaps:`, or `ldap:`, where TLS starts on the open connection unless it may be plain text. */
  readonly url: URL
  /** The certificate authority as PEM; empty for those that the system trusts. */
  readonly ca: string
  readonly plainText: PlainText
  /** When all of it must be done, by `performance.now`. */
  readonly deadline: number
}

export interface LdapSearch {
  readonly base: string
  readonly scope: 'base' | 'sub'
  readonly filter: string
  /** Only entries of which an attribute has one of these values. */
  readonly among?: { readonly attribute: string; readonly values: readonly Buffer[] }
  readonly attributes: readonly string[]
  /** At most so many entries, of which the server chooses. Default: all. */
  readonly most?: number
}

export interface LdapEntry {
  readonly dn: string
  /** By the name in lower case. */
  readonly attributes: ReadonlyMap<string, readonly Buffer[]>
}

/** One connection to a server. Throws `LdapRefusal` for any result but success, and never follows referrals. */
export interface LdapSession {
  bind(dn: string, password: string): Promise<void>
  /** All entries, in as many pages as the server needs. */
  search(search: LdapSearch): Promise<readonly LdapEntry[]>
}

/** Opens a connection to an allowed address, and closes it after the work. Rejects with a text for the log. */
export type OpenLdap = <Result>(
  server: LdapServer,
  work: (session: LdapSession) => Promise<Result>,
) => Promise<Result>

/** A server answered with a result code other than success. */
export class LdapRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
