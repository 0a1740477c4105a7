import type { Static, TObject, TSchema } from 'typebox'

/** Who may call an operation before any policy is asked. */
export type Access =
  /** Anyone, without a token. */
  | 'public'
  /** Whoever presents a valid `X-Auth-Token`. */
  | 'token'
  /** A caller on this machine, or one whose token's policies allow it. */
  | 'loopback'

export interface Answer {
  readonly description: string
  /** Absent: the answer has no body. */
  readonly body?: TSchema
  /** The exact `Content-Type`; JSON as every other answer unless said otherwise. */
  readonly contentType?: string
  /** Response headers of this answer, besides those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>
  readonly example?: unknown
}

/** The one shape of an operation: what a route, a client and a reference page need to know. */
export interface Operation {
  /** The same word on every floor: operation, handler, use case. */
  readonly id: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** In OpenAPI's spelling: `/v3/users/{id}`. */
  readonly path: string
  readonly access: Access
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Request headers besides `X-Auth-Token`, `Content-Type` and `X-Request-Id`. */
  readonly headers?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  /** Keys of the body that are read without regard to case. */
  readonly anyCaseKeys?: readonly string[]
  readonly example?: unknown
  readonly answers: Readonly<Record<number, Answer>>
}

/** The content type of every JSON answer but the token operation's. */
export const jsonContentType = 'application/json; charset=UTF-8'

/** The request body of an operation, as its schema types it. */
export type BodyOf<Op> = Op extends { readonly body: infer Body extends TSchema }
  ? Static<Body>
  : undefined

/** The request headers an operation names. */
export type HeadersOf<Op> = Op extends { readonly headers: infer Headers extends TObject }
  ? Static<Headers>
  : unknown
