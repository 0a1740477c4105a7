import type { AnyOperationId, Arguments, Output } from '../operations.ts'

export interface Answer<Body> {
  readonly body: Body
  readonly status: number
  readonly headers: Headers
}

/** Sends API calls without authentication, for use by the login itself. */
export interface Transport {
  /** The host and port of the identity API. */
  readonly authHost: string
  readonly call: <Id extends AnyOperationId>(
    id: Id,
    ...args: Arguments<Id>
  ) => Promise<Answer<Output<Id>>>
  /** Repeats a login that failed because Muster did not respond. */
  readonly retry: <Result>(attempt: () => Promise<Result>) => Promise<Result>
}

type AuthHeaders = Readonly<Record<string, string>>

/** An authentication method of a client. `Login` is the result of a login. */
export interface Auth<Login> {
  /** Prefix of public API paths: browsers call them through the gateway. */
  readonly prefix: string
  connect(transport: Transport): {
    /** Returns the authentication headers of a call. Logs in first if necessary. */
    authenticate(method: string): Promise<AuthHeaders>
    /** Called after a 401. Returns true if the call should be retried with new headers. */
    renew(rejected: AuthHeaders): Promise<boolean>
    logIn(): Promise<Login>
    logOut(): Promise<void>
    /** Called for every successful response: some of them change the session. */
    notice?(id: AnyOperationId, body: unknown): void
  }
}
