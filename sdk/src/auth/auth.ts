import type { AnyOperationId, Arguments, Output } from '../operations.ts'

export interface Answer<Body> {
  readonly body: Body
  readonly status: number
  readonly headers: Headers
}

/** What a way to log in asks the API with: a call as it is, without anybody being logged in for it. */
export interface Line {
  /** The host that identity is asked at, with its port. */
  readonly authHost: string
  readonly call: <Id extends AnyOperationId>(
    id: Id,
    ...args: Arguments<Id>
  ) => Promise<Answer<Output<Id>>>
}

type Proof = Readonly<Record<string, string>>

/** How a client proves who it is. `Login` is what logging in gives. */
export interface Auth<Login> {
  /** Before the paths of the public API: a browser reaches them through its gateway. */
  readonly prefix: string
  connect(line: Line): {
    /** The headers that a call needs, logging in first where that is due. */
    prove(method: string): Promise<Proof>
    /** After a 401 to that proof: whether it is worth trying again with another. */
    renew(refused: Proof): Promise<boolean>
    logIn(): Promise<Login>
    logOut(): Promise<void>
    /** Shown every good answer: some of them change how to prove it. */
    notice?(id: AnyOperationId, body: unknown): void
  }
}
