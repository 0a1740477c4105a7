import type {
  KeyRestriction,
  Level,
  LocalPasswordRule,
  LoginRules,
  PolicyAction,
} from '@muster/contract'
import type { UserSummary } from '../user-summary.ts'

/** The records of identity. Times are milliseconds since 1970. */

export interface Named {
  readonly id: string
  readonly name: string
}

export interface DomainRecord extends Named {
  readonly description: string
  readonly enabled: boolean
  readonly createdAt: number
  readonly localPasswords: LocalPasswordRule
  readonly localPasswordsSince: number | null
  readonly loginRules: LoginRules
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
  /** When the user itself expires. */
  readonly expiresAt: number | null
  readonly isBreakGlass: boolean
}

/** What a password login reads of a user. */
export interface Credentials {
  readonly user: UserSummary
  /** Null also where passwords are for break-glass users only, and the user is none. */
  readonly passwordHash: string | null
  readonly passwordExpiresAt: number | null
  /** Whether passwords are for break-glass users only, and the user is one. */
  readonly isBreakGlass: boolean
  /** Whether the user has a password that must not be used. */
  readonly isPasswordRefused: boolean
}

/** `*` stands for any. */
export interface PolicyRule {
  readonly service: string
  readonly resource: string
  readonly action: PolicyAction | '*'
  readonly effect: 'allow' | 'deny'
}

export interface PolicyRecord extends Named {
  readonly scope: Level
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

/** A role assignment of a user, direct or through a group. */
export interface Assignment {
  readonly role: RoleRecord
  readonly group: (Named & { readonly domain: Named }) | undefined
  readonly target: AssignmentTarget
}

/** A user with all role assignments: what every permission check starts from. */
export interface UserStatus {
  readonly user: UserRecord
  readonly assignments: readonly Assignment[]
  /** Whether the user has a confirmed second factor. */
  readonly hasFactor: boolean
}

export type TokenScope =
  | { readonly kind: 'none' }
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'domain'; readonly id: string }

/** The access key that a token was issued for, when it expires (null: never), and what it may do at most. */
export interface AccessKeyUse {
  readonly id: string
  readonly expiresAt: number | null
  readonly restriction: KeyRestriction | null
}

/** The login that a token comes from, directly or through other tokens. */
export interface Login {
  readonly at: number
  /** The first name of the method; `program` for a token of a program at an OpenID provider. */
  readonly method: string
}

export interface TokenRecord {
  /** SHA-256 of the token; the token itself is stored nowhere. */
  readonly id: string
  readonly userId: string
  readonly scope: TokenScope
  readonly method: string
  readonly parentId: string | null
  /** The number of tokens between this one and the login. */
  readonly generation: number
  readonly login: Login
  readonly issuedAt: number
  readonly expiresAt: number
  readonly ip: string
  readonly source: string
  readonly accessKey: AccessKeyUse | null
  /** The identity provider that the user logged in with. */
  readonly providerId: string | null
  /** The provider's name of its session. */
  readonly providerSession: string | null
  readonly factor: VerifiedFactor | null
}

/** The second factor of a token, and when its last code was sent. */
export interface VerifiedFactor {
  readonly method: 'totp'
  readonly at: number
}

/** A second factor of a user: an authenticator app. */
export interface FactorRecord {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly encryptedSecret: string
  readonly createdAt: number
  /** Null until a first code proved that the app has the secret. */
  readonly confirmedAt: number | null
  /** The time step of the last code. Codes of this and of earlier steps are not accepted again. */
  readonly lastStep: number
  readonly lastUsedAt: number | null
}

/** An access key as a login reads it. */
export interface AccessKeyRecord extends AccessKeyUse {
  readonly user: UserSummary
  readonly projectId: string
  readonly enabled: boolean
  readonly encryptedSecret: string
  /** When an identity provider last confirmed the user; null for a user who needs none. */
  readonly confirmedAt: number | null
}
