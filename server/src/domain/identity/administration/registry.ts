import type { Impact, LoginRules, PolicyBindingDto, ProjectSummary } from '@muster/contract'
import type { ListQuery, Page } from '../../query/list-query.ts'
import { allOf, oneOf } from '../../query/conditions.ts'
import type { Requester } from '../../requester.ts'
import type { AuthorizedScope, Scope } from '../../scope.ts'
import type { FactorUse, LinkCreator, SingleUse } from '../ports.ts'
import type { Assignment, FactorRecord, PolicyRecord, VerifiedFactor } from '../records.ts'
import type { EventRecord } from '../../audit/event.ts'
import type { Grant, Holder, ResourceKind, Resources, Secrets } from './resources.ts'

/** Filters, order and page of a list. An infinite limit is the whole list. */
export type ResourceQuery = Pick<
  ListQuery<string>,
  'scope' | 'where' | 'order' | 'limit' | 'offset' | 'marker'
>

/** A list without pages, for internal use. */
export const all = (filters: Readonly<Record<string, string | boolean>>): ResourceQuery => ({
  scope: undefined,
  where: allOf(Object.entries(filters).map(([field, value]) => oneOf(field, [value]))),
  order: [{ field: 'name', descending: false }],
  limit: Infinity,
  offset: 0,
  marker: undefined,
})

/** What a list depends on besides its query. */
export interface ListContext {
  readonly relatedTo?: RelatedTo
  /** Where the caller sees e-mail addresses and mobile numbers. Default: everywhere. */
  readonly contacts?: readonly AuthorizedScope[]
  /** The user whose turn in the queue a slow query takes. */
  readonly requester?: Requester
}

/** Restricts a list to what is related to another resource. */
export type RelatedTo =
  | { readonly relation: 'members-of-group'; readonly groupId: string }
  | { readonly relation: 'groups-of-user'; readonly userId: string }
  | { readonly relation: 'projects-of-user'; readonly userId: string }
  | { readonly relation: 'policies-of-role'; readonly roleId: string }
  | { readonly relation: 'roles-of-holder'; readonly holder: Holder; readonly scope: Scope }

export interface AssignmentQuery extends ResourceQuery {
  /** List each member instead of the group. */
  readonly effective: boolean
}

interface Named {
  readonly id: string
  readonly name: string
}
interface Member extends Named {
  readonly domain: Named
}

export interface GrantRecord {
  readonly role: Named
  readonly user: Member | undefined
  readonly group: Member | undefined
  readonly scope:
    | { readonly kind: 'system' }
    | { readonly kind: 'domain'; readonly domain: Named }
    | { readonly kind: 'project'; readonly project: Member }
}

/** A subject of an identity provider, and the user that it is. */
export interface Link {
  readonly providerId: string
  readonly subject: string
  readonly userId: string
  /** When the provider last said so, in milliseconds. */
  readonly confirmedAt: number
}

export interface StoredLink extends Link {
  /** When a sync disabled the user, because the provider had no such person. */
  readonly endedAt: number | null
  /** Whether the user is enabled. */
  readonly isEnabled: boolean
}

type LinkOwner = Pick<Link, 'userId'> | Pick<Link, 'providerId'>

/** Of `refused-password`, the id is that of a domain whose passwords are for break-glass users only. */
export type TokenOwner =
  | 'user'
  | 'project'
  | 'domain'
  | 'access-key'
  | 'provider'
  | 'refused-password'

/** A user who has a password of Muster. */
export interface PasswordUser {
  readonly id: string
  readonly name: string
  readonly isBreakGlass: boolean
  /** Whether it is a break-glass user who counts for the domain, because neither user nor password expire. */
  readonly isLasting: boolean
  /** Whether the user can also log in at an enabled identity provider. */
  readonly isLinked: boolean
  readonly hasSystemRole: boolean
}

/** Whom new rules about logins affect. */
export interface LoginRuleImpact {
  readonly endedTokens: number
  readonly endedSessions: number
  /** From where users of the domain are logged in, without break-glass users. By name. */
  readonly addresses: readonly (Named & { readonly ip: string; readonly method: string })[]
  /** Whether a user of the domain has a role on the system. */
  readonly hasSystemRoles: boolean
  /** All who can administer the platform. */
  readonly administrators: readonly {
    readonly id: string
    readonly domainId: string
    /** Whether networks do not apply. */
    readonly isExempt: boolean
    readonly networks: readonly string[]
  }[]
}
/** One statement about second factors. */
export type FactorWrite =
  | { readonly do: 'add'; readonly factor: FactorRecord }
  | { readonly do: 'confirm'; readonly id: string; readonly at: number }
  | { readonly do: 'rename'; readonly id: string; readonly name: string }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'delete-of' | 'delete-new-of' | 'delete-codes-of'; readonly userId: string }
  | {
      readonly do: 'add-codes'
      readonly userId: string
      readonly hashes: readonly string[]
    }
  /** The change is planned again if the code was used before. */
  | { readonly do: 'use'; readonly use: FactorUse; readonly at: number }
  /** The token and those that it was issued from count as logged in with the factor. */
  | { readonly do: 'note-verified'; readonly tokenId: string; readonly factor: VerifiedFactor }
  | {
      readonly do: 'note-reset'
      readonly userId: string
      readonly at: number
      readonly by: string
    }

/** One statement of a change. */
export type Write =
  | {
      [K in ResourceKind]: {
        readonly do: 'insert'
        readonly kind: K
        readonly row: Resources[K] & (K extends keyof Secrets ? Secrets[K] : unknown)
      }
    }[ResourceKind]
  | {
      [K in ResourceKind]: {
        readonly do: 'update'
        readonly kind: K
        readonly id: string
        readonly changes: Partial<Resources[K] & (K extends keyof Secrets ? Secrets[K] : unknown)>
      }
    }[ResourceKind]
  | { readonly do: 'delete'; readonly kind: ResourceKind; readonly id: string }
  | { readonly do: 'grant'; readonly grant: Grant; readonly providerId?: string }
  | { readonly do: 'revoke'; readonly grant: Grant; readonly providerId?: string }
  | { readonly do: 'join' | 'leave'; readonly groupId: string; readonly userId: string }
  | { readonly do: 'bind' | 'unbind'; readonly roleId: string; readonly policyId: string }
  /** Replaces the one before. */
  | {
      readonly do: 'link-password'
      readonly userId: string
      readonly hash: string
      readonly expiresAt: number
      readonly creator: LinkCreator
    }
  | { readonly do: 'unlink-password'; readonly userId: string }
  /** The failed logins of a user. */
  | { readonly do: 'forget-failures'; readonly userId: string }
  | {
      readonly do: 'revoke-tokens'
      readonly of: TokenOwner
      readonly id: string
    }
  /** Revokes the tokens of logins at a provider: those of a session, or of a user. */
  | {
      readonly do: 'end-logins'
      readonly providerId: string
      readonly session?: string | undefined
      readonly userId?: string | undefined
    }
  /** The change is refused with the one 401 if the message was used before. */
  | { readonly do: 'use-once'; readonly singleUse: SingleUse }
  /** The change fails if the project or domain still has servers. */
  | { readonly do: 'require-no-servers'; readonly of: 'project' | 'domain'; readonly id: string }
  | { readonly do: 'link' | 'unlink'; readonly link: Link }
  | { readonly do: 'factors'; readonly write: FactorWrite }
  /** Notes when a sync disabled the user of a subject; null once the provider has the person again. */
  | { readonly do: 'mark-ended'; readonly link: Link; readonly endedAt: number | null }

/**
 * What a change writes, the events that record it, and its result. Without writes nothing happens.
 */
export interface ChangePlan<Result> {
  readonly writes: readonly Write[]
  readonly events: readonly EventRecord[]
  readonly result: Result
}

/** The port to everything that is administered. */
export interface Registry {
  list<K extends ResourceKind>(
    kind: K,
    authorizedScope: AuthorizedScope,
    query: ResourceQuery,
    context?: ListContext,
  ): Promise<Page<Resources[K]>>
  /** Undefined also for what lies outside of the caller's scope. */
  find<K extends ResourceKind>(
    kind: K,
    id: string,
    authorizedScope: AuthorizedScope,
  ): Promise<Resources[K] | undefined>
  /** The counts of those projects that are within the scope of projects, each within its own scope. */
  summarizeProjects(
    ids: readonly string[],
    scopes: Readonly<Record<'projects' | 'servers' | 'users', AuthorizedScope>>,
  ): Promise<readonly ProjectSummary[]>
  /** Whether the name is taken, within the domain or project in which names of this kind are unique. */
  isNameTaken(kind: ResourceKind, name: string, owner?: string): Promise<boolean>
  listGrants(
    authorizedScope: AuthorizedScope,
    query: AssignmentQuery,
    requester: Requester,
  ): Promise<Page<GrantRecord>>
  /** An existing grant, with the provider whose mapping created it; null for one made by a user. */
  findGrant(grant: Grant): Promise<{ readonly providerId: string | null } | undefined>
  /** The role assignments of a user, also through groups, or of a group. */
  assignmentsOf(holder: Holder): Promise<readonly Assignment[]>
  /** Which policy is bound to which role. */
  listPolicyBindings(query: ResourceQuery, requester: Requester): Promise<Page<PolicyBindingDto>>
  policiesOfRole(roleId: string): Promise<readonly PolicyRecord[]>
  isMember(groupId: string, userId: string): Promise<boolean>
  /** The encrypted options of an identity provider; undefined without any. */
  findProviderSecrets(providerId: string): Promise<string | undefined>
  findLink(providerId: string, subject: string): Promise<StoredLink | undefined>
  /** Those of one user, or of one provider. */
  listLinks(of: LinkOwner): Promise<readonly StoredLink[]>
  /** The grants that a provider's mapping created, for one user or for all. */
  grantsBy(providerId: string, userId?: string): Promise<readonly Grant[]>
  /** How many access keys a user has, with and without those that have expired. */
  countAccessKeys(
    userId: string,
    now: number,
  ): Promise<{ readonly all: number; readonly live: number }>
  /** Those of a domain who can log in with a password of Muster, or could if it were not refused. */
  listPasswordUsers(domainId: string, now: number): Promise<readonly PasswordUser[]>
  /** What rules of a domain would change, in comparison with those before. */
  loginRuleImpact(
    domainId: string,
    before: LoginRules,
    rules: LoginRules,
    now: number,
  ): Promise<LoginRuleImpact>
  /** Whether no administrator who needs no provider would remain if passwords of a domain were for break-glass users. */
  takesLastPassword(domainId: string): Promise<boolean>
  impactOf(kind: 'domains' | 'projects' | 'users', id: string, now: number): Promise<Impact>
  /**
   * Plans a change from the current data and writes it in one transaction, under an optimistic lock:
   * after a conflict it plans again. A change that would leave no administrator is refused.
   */
  applyChange<Result>(plan: () => Promise<ChangePlan<Result>>): Promise<Result>
}
