import type { IdentityRequest } from '@muster/contract'
import type { AuthMethod } from './methods/auth-method.ts'

/** What a provider says about the person who logs in. */
export interface ExternalIdentity {
  /** The provider's own name for the person. */
  readonly subject: string
  /** Values by attribute, which the provider's mapping turns into roles. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

/** What a login request holds for a provider. */
interface ProviderCredential {
  /** Accepted once, whatever the provider says about it. */
  readonly secret: string
  /** The provider that the request names; undefined where it names none. */
  readonly providerId: string | undefined
}

/** The options of one provider: stored as JSON, and flat beside the common fields in the API. */
export type ProviderOptions = Readonly<Record<string, string | number>>

/** A kind of identity provider. A new one is a folder in `providers/` and a line in its `drivers.ts`. */
export interface ProviderDriver extends Pick<AuthMethod, 'names' | 'section'> {
  /** What the audit log calls it. */
  readonly label: string
  /** The options that decide which server is trusted: only full administrators may change them. */
  readonly trustOptions: readonly string[]
  /**
   * The options of a provider after a request: those that it names are checked, the others stay as
   * they were or get their default. Throws a 400 that names the option.
   */
  readOptions(request: object, before?: ProviderOptions): ProviderOptions
  /** Throws a 400 for a credential that is missing or malformed. */
  readCredential(identity: IdentityRequest): ProviderCredential
  /**
   * Asks the provider. Throws the one 401 unless it confirms the credential before the deadline, by
   * `performance.now`.
   */
  verify(options: ProviderOptions, secret: string, deadline?: number): Promise<ExternalIdentity>
}

export interface GetOptions {
  /** The certificate authority as PEM, instead of those that the system trusts. */
  readonly ca?: string
  /** When the response must be complete, by `performance.now`. */
  readonly deadline?: number | undefined
}

/** An HTTPS request to an address from the configuration; rejects with a text for the log. */
type HttpsGet = (
  url: URL,
  options: GetOptions,
) => Promise<{ readonly status: number; readonly text: string }>

/** Says why an address must not be contacted; undefined where it may. */
export type CheckAddress = (url: URL) => string | undefined

export interface DriverDependencies {
  readonly get: HttpsGet
  readonly checkAddress: CheckAddress
}
