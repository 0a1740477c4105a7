import type { PolicyAction, PolicyScope } from '@muster/contract'
import type { UserSummary } from '../user-summary.ts'

/** What identity knows, as the domain sees it. Times are milliseconds since 1970. */

export interface Named {
  readonly id: string
  readonly name: string
}

export interface DomainRecord extends Named {
  readonly description: string
  readonly enabled: boolean
  readonly createdAt: number
}

export interface ProjectRecord extends Named {
  readonly description: string
  readonly enabled: boolean
  readonly createdAt: number
  readonly domain: DomainRecord
}

export interface UserRecord extends Named {
  readonly displayname: string
  readonly email: string
  readonly mobile: string
  readonly enabled: boolean
  readonly domain: DomainRecord
  readonly defaultProjectId: string | null
  readonly passwordExpiresAt: number | null
  /** The end of the account itself. */
  readonly expiresAt: number | null
}

/** A user as a login finds it: who, and the hash to hold a password against. */
export interface Credentials {
  readonly user: UserSummary
  readonly passwordHash: string | null
  readonly passwordExpiresAt: number | null
}

/** `*` stands for any. */
export interface PolicyRule {
  readonly service: string
  readonly resource: string
  readonly action: PolicyAction | '*'
  readonly effect: 'allow' | 'deny'
}

export interface PolicyRecord extends Named {
  readonly scope: PolicyScope
  readonly enabled: boolean
  readonly rules: readonly PolicyRule[]
}

export interface RoleRecord extends Named {
  readonly domain: Named
  readonly policies: readonly PolicyRecord[]
}

type AssignmentTarget =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly domain: DomainRecord }
  | { readonly kind: 'project'; readonly project: ProjectRecord }

/** A role that a user holds somewhere, directly or through a group. */
export interface Assignment {
  readonly role: RoleRecord
  readonly group: (Named & { readonly domain: Named }) | undefined
  readonly target: AssignmentTarget
}

/** A user and everything that the user holds, read in one go: what every decision is made from. */
export interface UserStatus {
  readonly user: UserRecord
  readonly assignments: readonly Assignment[]
}

export type TokenScope =
  | { readonly kind: 'none' }
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'domain'; readonly id: string }

/** The access key behind a token: its public half, and when it ends (null: never). */
export interface AccessKeyUse {
  readonly id: string
  readonly expiresAt: number | null
}

export interface TokenRecord {
  /** SHA-256 of the token; the token itself is stored nowhere. */
  readonly id: string
  readonly userId: string
  readonly scope: TokenScope
  readonly method: string
  readonly parentId: string | null
  /** How many tokens lie between this one and a login that proved an identity. */
  readonly generation: number
  readonly issuedAt: number
  readonly expiresAt: number
  readonly ip: string
  readonly source: string
  readonly accessKey: AccessKeyUse | null
  /** The identity provider that vouched for the user. */
  readonly providerId: string | null
}

/** An access key as a login finds it. */
export interface AccessKeyRecord extends AccessKeyUse {
  readonly user: UserSummary
  readonly projectId: string
  readonly enabled: boolean
  readonly encryptedSecret: string
}
