import {
  administeredResources,
  type AdministeredKind,
  type AdministeredResources,
  type Stored,
} from '@muster/contract'
import type { Scope } from '../../scope.ts'

/** What is stored of each administered resource, by the name of its collection. */
export type Resources = {
  readonly [K in AdministeredKind]: Stored<AdministeredResources[K]> & {
    readonly id: string
    readonly name: string
  }
}
export type ResourceKind = AdministeredKind

export type Domain = Resources['domains']
export type Project = Resources['projects']
export type User = Resources['users']
export type Group = Resources['groups']
export type Role = Resources['roles']
export type Policy = Resources['policies']
export type AccessKey = Resources['credentials']
export type IdentityProvider = Resources['identity_providers']

/** What one of them is called in messages and in events. */
export const nounOf = (kind: ResourceKind): string => administeredResources[kind].key

/** Fields that are stored and never shown. */
export interface Secrets {
  readonly users: {
    readonly password_hash?: string | null
    readonly password_refused_at?: number | null
  }
  readonly credentials: { readonly secret: string }
  /** The secret options of the driver, encrypted; null without any. */
  readonly identity_providers: { readonly secrets: string | null }
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
