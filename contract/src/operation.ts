import type { Static, TObject, TSchema } from 'typebox'
import type { PolicyAction, Level, PolicyService } from './policy-enums.ts'

/** The roles of a process, as `--roles` names them. */
export const processRoles = ['identity', 'platform', 'gateway'] as const
export type ProcessRole = (typeof processRoles)[number]

/** How clients and proxies may cache the responses of an operation, errors included. */
export type CachePolicy =
  /** No `Cache-Control` header. */
  | 'default'
  /** Private to one caller, and only after revalidation with `If-None-Match`. */
  | 'private'
  /** Shared by all callers, after revalidation. */
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

/** Who may call an operation, before its permission is checked. */
export type Access =
  /** Anyone, without a token. */
  | 'public'
  /** Anyone with a valid `X-Auth-Token`. */
  | 'token'
  /** Anyone on this machine. Others need a token with the permission. */
  | 'loopback'

/** The scope of a permission: the system, a domain, a project, or only what belongs to the caller. */
export type PermissionLevel = Level | 'self'

/** The permission that an operation needs, and the scopes in which it counts. */
export interface RequiredPermission {
  readonly service: PolicyService
  readonly resource: string
  readonly action: PolicyAction
  readonly at: readonly PermissionLevel[]
}

export interface OperationResponse {
  readonly description: string
  /** Absent: the response has no body. */
  readonly body?: TSchema
  /** The exact `Content-Type`. Default: JSON. */
  readonly contentType?: string
  /** Headers of this response, besides those of every response. */
  readonly headers?: Readonly<Record<string, string>>
  readonly example?: unknown
}

/** An operation of the API: everything that routes, clients and the API reference need to know. */
export interface Operation {
  /** The same name in every layer: operation, handler, use case. */
  readonly id: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** As in OpenAPI: `/v3/users/{id}`. */
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
  /** Every response, errors included, has the header `x-<platform name>-request-id`. */
  readonly hasPlatformRequestId?: true
  /** Answered for any `Host`: load balancers and probes use addresses that `--allowed-hosts` does not list. */
  readonly acceptsAnyHost?: true
  /** Instead of a token, an access key is accepted by HTTP Basic: for programs that cannot log in. */
  readonly acceptsAccessKey?: true
  /** Accepted from a token that lacks the second factor that its user has or must have. */
  readonly withoutFactor?: true
  /** If the user has a second factor, a code of it must have been sent a short time ago. */
  readonly needsFreshFactor?: true
  /** Absent: `access` is enough. */
  readonly permission?: RequiredPermission
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Request headers, in lower case, besides `X-Auth-Token`, `Content-Type` and `X-Request-Id`. */
  readonly headers?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  /** A request without a body counts as `{}`. */
  readonly hasOptionalBody?: true
  /** Keys of the body whose case is ignored. */
  readonly caseInsensitiveKeys?: readonly string[]
  readonly example?: unknown
  readonly responses: Readonly<Record<number, OperationResponse>>
  /** Statuses of its errors that do not follow from the other fields (`errorStatusesOf`). */
  readonly moreErrors?: readonly number[]
}

/** The content type of every JSON response except the token operation's. */
export const jsonContentType = 'application/json; charset=UTF-8'

/** The request body of an operation, as its schema types it. */
export type BodyOf<Op> = Op extends { readonly body: infer Body extends TSchema }
  ? Static<Body>
  : undefined

/** The request headers that an operation declares. */
export type HeadersOf<Op> = Op extends { readonly headers: infer Headers extends TObject }
  ? Static<Headers>
  : unknown

/** The query parameters of an operation, as its schema types them. */
export type QueryOf<Op> = Op extends { readonly query: infer Query extends TObject }
  ? Static<Query>
  : unknown

/** The body of a response, as its schema types it. */
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
