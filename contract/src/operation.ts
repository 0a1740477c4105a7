import type { Static, TObject, TSchema } from 'typebox'
import type { PolicyAction, PolicyScope, PolicyService } from './policy-enums.ts'

/** The roles of a process, as `--roles` names them. */
export const processRoles = ['identity', 'platform', 'gateway'] as const
export type ProcessRole = (typeof processRoles)[number]

/** How clients and proxies may cache the responses of an operation, errors included. */
export type CachePolicy =
  /** No `Cache-Control` header. */
  | 'default'
  /** One caller's own, and only after revalidation with `If-None-Match`. */
  | 'private'
  /** The same for everybody, after revalidation. */
  | 'revalidate'
  /** Never: it contains a token. */
  | 'no-store'

/** Which limit a request counts against. */
export type RateLimitClass =
  /** None. */
  | 'unlimited'
  /** `--requests-per-minute` of its token. */
  | 'token'
  /** `--login-failures-per-minute` of its address, when it fails. */
  | 'login'

/** Who may call an operation before any policy is asked. */
export type Access =
  /** Anyone, without a token. */
  | 'public'
  /** Whoever presents a valid `X-Auth-Token`. */
  | 'token'
  /** A caller on this machine, or one whose token's policies allow it. */
  | 'loopback'

/** How far a right can carry: everywhere, a domain, a project, or only what is the caller's own. */
export type Level = PolicyScope | 'self'

/** What a caller's policies must allow, and the levels at which that counts for anything. */
export interface RequiredPermission {
  readonly service: PolicyService
  readonly resource: string
  readonly action: PolicyAction
  readonly at: readonly Level[]
}

export interface OperationResponse {
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
  /** A process serves the operation if it has one of these roles. */
  readonly servedBy: readonly ProcessRole[]
  /** Whether the gateway forwards it for browser sessions. */
  readonly throughGateway: boolean
  readonly cache: CachePolicy
  readonly rateLimit: RateLimitClass
  /** The response contains a secret, so it is never compressed: its compressed length could reveal it. */
  readonly hasSecretResponse?: true
  /** Answered for any `Host`: load balancers and probes use addresses that `--allowed-hosts` does not list. */
  readonly acceptsAnyHost?: true
  /** Absent: any valid token will do, or none where `access` says so. */
  readonly permission?: RequiredPermission
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Request headers besides `X-Auth-Token`, `Content-Type` and `X-Request-Id`. */
  readonly headers?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  /** Keys of the body that are read without regard to case. */
  readonly caseInsensitiveKeys?: readonly string[]
  readonly example?: unknown
  readonly responses: Readonly<Record<number, OperationResponse>>
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

/** The query parameters an operation knows, as its schema types them. */
export type QueryOf<Op> = Op extends { readonly query: infer Query extends TObject }
  ? Static<Query>
  : unknown

/** The body of one of an operation's answers, as its schema types it. */
export type ResponseBodyOf<OperationResponse> = OperationResponse extends {
  readonly body: infer Body extends TSchema
}
  ? Static<Body>
  : undefined

type ParameterNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

/** The parameters in an operation's path. */
export type ParametersOf<Op> = Op extends { readonly path: infer Path }
  ? Readonly<Record<ParameterNames<Path>, string>>
  : never
