import type { MappingRule, PolicyRule, PolicyScope } from '@muster/contract'
import { identityTargetTypes } from '../../audit/target-types.ts'
import type { Scope } from '../../scope.ts'
import type { ProviderOptions } from '../provider-driver.ts'

/**
 * The administered resources, with the field names of the API. Times are milliseconds since 1970.
 */
interface Common {
  readonly id: string
  readonly name: string
  readonly created_at: number
}

export interface Domain extends Common {
  readonly description: string
  readonly enabled: boolean
}

export interface Project extends Common {
  readonly domain_id: string
  readonly description: string
  readonly enabled: boolean
}

export interface User extends Common {
  readonly domain_id: string
  readonly description: string
  readonly enabled: boolean
  readonly displayname: string
  readonly email: string
  readonly mobile: string
  readonly default_project_id: string | null
  readonly password_expires_at: number | null
  readonly expires_at: number | null
}

export interface Group extends Common {
  readonly domain_id: string
  readonly description: string
}

export interface Role extends Common {
  readonly description: string
}

export interface Policy extends Common {
  readonly scope: PolicyScope
  readonly enabled: boolean
  readonly rules: readonly PolicyRule[]
}

export interface AccessKey extends Common {
  readonly user_id: string
  readonly project_id: string
  readonly enabled: boolean
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly last_used_ip: string
}

export interface IdentityProvider extends Common {
  readonly driver: string
  readonly options: ProviderOptions
  readonly domain_id: string
  readonly enabled: boolean
  readonly mapping: readonly MappingRule[]
}

/** Every kind of resource, by the name of its collection. */
export interface Resources {
  domains: Domain
  projects: Project
  users: User
  groups: Group
  roles: Role
  policies: Policy
  credentials: AccessKey
  identity_providers: IdentityProvider
}
export type ResourceKind = keyof Resources

/** What one of them is called in messages and in events. */
export const nounOf: Readonly<Record<ResourceKind, string>> = identityTargetTypes

/** Fields that are stored and never shown. */
export interface Secrets {
  readonly users: { readonly password_hash?: string | null }
  readonly credentials: { readonly secret: string }
}

/** A user or a group that holds a role. */
export type Holder =
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'group'; readonly id: string }

export interface Grant {
  readonly roleId: string
  readonly holder: Holder
  readonly scope: Scope
}
