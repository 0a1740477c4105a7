import type { DeviceLoginDto, IdentityRequest, ProviderTest } from '@muster/contract'
import type { OpenLdap } from './ldap-session.ts'
import type { AuthMethod } from './methods/auth-method.ts'
import type { DriverOptions, ProviderOptions } from './providers/read-options.ts'

/** What a provider says about the person who logs in. */
export interface ExternalIdentity {
  /** The provider's own key for the person, which identifies the user for ever. */
  readonly subject: string
  /** The fields of the user that the first login creates. Default: the subject as name. */
  readonly profile?: ExternalProfile
  /** The provider's name of its session, with which it can end the login here. */
  readonly session?: string
  /** When the provider said it, in milliseconds; undefined if it was asked now. */
  readonly saidAt?: number
  /** Whether it is a program, with a token of its own. */
  readonly isProgram?: boolean
  /** The login must not outlive it. */
  readonly expiresAt?: number
  /** Values by attribute, which the provider's mapping turns into roles. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

interface ExternalProfile {
  readonly name: string
  readonly displayname?: string
  readonly email?: string
}

/** What a login request holds for a provider. */
export interface ProviderCredential {
  /** Accepted once, whatever the provider says about it. */
  readonly secret: string
  /** What is the same in each spelling of the secret, if it has several; undefined if it has one. */
  readonly identity?: string
  /** The provider that the request names; undefined where it names none. */
  readonly providerId: string | undefined
  /** What the driver needs besides to verify the secret. */
  readonly proof?: Readonly<Record<string, string>>
}

/** What every kind of identity provider has. */
interface DriverBase {
  /** The value of a provider's `driver`; those of a login method are also its names. The first is the main one. */
  readonly names: AuthMethod['names']
  /** What the audit log calls it. */
  readonly label: string
  /** The name and the purpose of the driver, for people who choose one. */
  readonly title: string
  readonly description: string
  /** What a form for one of its providers asks for. */
  readonly options: DriverOptions
  /** The login on pages of the provider. */
  readonly browserLogin?: BrowserLogin
  /** What a command line needs for the device flow of a provider; undefined if it is off there. */
  deviceLogin?(options: ProviderOptions, deadline: number): Promise<DeviceLogin | undefined>
  /** Checks its settings, for an administrator. The checks end at the first one that the others need. */
  test(options: ProviderOptions, check: Check, deadline: number): Promise<void>
  /**
   * The person whom a login with these claims or attributes would mean, for a preview. Throws the one 401,
   * or an error with a text for people.
   */
  readClaims(options: ProviderOptions, claims: Claims): ExternalIdentity
}

/** The device flow (RFC 8628) of a provider, by the names of the API. */
type DeviceLogin = Omit<DeviceLoginDto, 'provider'>

/** What a provider says about somebody, as JSON. */
export type Claims = Readonly<Record<string, unknown>>

/**
 * Runs one check of a test, and records what it found or why it failed. `option` is the one to look at
 * then, unless the work throws an `OptionError`. Resolves with undefined if it failed.
 */
export type Check = <Value>(
  name: CheckName,
  option: string,
  work: () => Promise<{ readonly found: string; readonly value: Value }>,
) => Promise<{ readonly value: Value } | undefined>

type CheckName = ProviderTest['checks'][number]['name']

/** A check failed because of another option than usual. */
export class OptionError extends Error {
  readonly option: string

  constructor(option: string, message: string) {
    super(message)
    this.option = option
  }
}

/** Exchanges a credential of its own, such as a ticket, for a token. */
export interface CredentialDriver extends DriverBase, Pick<AuthMethod, 'section'> {
  /** Throws a 400 for a credential that is missing or malformed. */
  readCredential(identity: IdentityRequest): ProviderCredential
  /**
   * Asks the provider. Throws the one 401 unless it confirms the credential before the deadline, by
   * `performance.now`.
   */
  verify(
    options: ProviderOptions,
    credential: Omit<ProviderCredential, 'providerId'>,
    deadline?: number,
  ): Promise<ExternalIdentity>
}

/** Checks the passwords of users of the provider's domain who have none in Muster. */
export interface PasswordDriver extends DriverBase {
  /** Rejects if the provider gives no clear answer before the deadline, by `performance.now`. */
  checkPassword(
    options: ProviderOptions,
    login: { readonly name: string; readonly password: string },
    deadline: number,
  ): Promise<PasswordVerdict>
  /** Somebody by the name with which they log in, for a preview; undefined if there is nobody. */
  findPerson(options: ProviderOptions, name: string, deadline: number): Promise<Person | undefined>
  /** Minutes between two times that the people are read again; 0 for never. */
  syncMinutes(options: ProviderOptions): number
  /**
   * Those of these subjects who are there still. Rejects unless the provider answered completely: nobody
   * may end because of an error.
   */
  readPeople(
    options: ProviderOptions,
    subjects: readonly string[],
  ): Promise<ReadonlyMap<string, Person>>
}

export type PasswordVerdict =
  | { readonly person: ExternalIdentity }
  | {
      /** For the log. */
      readonly refusal: string
      /** The person, if the provider disabled them. */
      readonly disabledSubject?: string
      /** The provider has nobody of this name. */
      readonly isUnknown?: true
    }

/** What a provider says about somebody who does not log in now. */
export interface Person extends ExternalIdentity {
  readonly isDisabled: boolean
}

/**
 * A kind of identity provider. A new one is a folder in `providers/` and a line in its `drivers.ts`.
 * What it offers is which of these it is, and which of the optional members it has.
 */
export type ProviderDriver = CredentialDriver | PasswordDriver

/** What the browser keeps until it comes back from the provider. Nobody else knows it. */
export type RememberedValues = Readonly<Record<string, string>>

interface BrowserLogin {
  /**
   * Whether `readAnswer` tells an answer to this browser from one that somebody else asked for. Otherwise
   * nobody can link such a login in a browser: an attacker could send an own one.
   */
  readonly bindsAnswer?: true
  /** The page of the provider to which the browser goes. `callback` is where it must come back. */
  begin(
    options: ProviderOptions,
    callback: string,
    deadline?: number,
  ): Promise<{ readonly address: string; readonly remembered: RememberedValues }>
  /**
   * The credential in the query with which the browser came back; undefined if it holds none, or is not
   * the answer to the request of this browser.
   */
  readAnswer(
    query: URLSearchParams,
    attempt: {
      readonly providerId: string
      readonly callback: string
      readonly remembered: RememberedValues
    },
  ): IdentityRequest | undefined
  /**
   * Whether the provider sends browsers to an address that names no provider. Default: it sends them to
   * the callback of `begin`.
   */
  usesSharedCallback?(options: ProviderOptions): boolean
  /** The page of the provider that ends its session too, and then opens `returnTo`. */
  logoutPage?(
    options: ProviderOptions,
    returnTo: string,
    deadline?: number,
  ): Promise<string | undefined>
  /** Whose logins a message of the provider ends. Throws the one 401 for a forged one. */
  readLogout?(options: ProviderOptions, message: string, deadline?: number): Promise<LogoutNotice>
}

/** Names a session of the provider, or a person whose sessions have all ended. */
export interface LogoutNotice {
  /** Accepted once. */
  readonly id: string
  readonly session: string | undefined
  readonly subject: string | undefined
}

export interface HttpsRequest {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The certificate authority as PEM, instead of those that the system trusts. */
  readonly ca?: string
  /** When the response must be complete, by `performance.now`. */
  readonly deadline?: number | undefined
}

export interface HttpsResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** An HTTPS request to an address from the configuration; rejects with a text for the log. */
type SendHttps = (url: URL, request: HttpsRequest) => Promise<HttpsResponse>

/** The server could not be reached, or did not finish its response in time. */
export class NoResponseError extends Error {}

export interface DriverDependencies {
  readonly send: SendHttps
  readonly openLdap: OpenLdap
}
