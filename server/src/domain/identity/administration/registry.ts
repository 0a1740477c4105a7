import type { Impact } from '@muster/contract'
import type { AuthorizedScope, Scope } from '../../scope.ts'
import type { Assignment, PolicyRecord } from '../records.ts'
import type { EventRecord } from '../../audit/event.ts'
import type { Grant, Holder, ResourceKind, Resources, Secrets } from './resources.ts'

/** What a caller wants of a list. */
export interface ListQuery {
  /** By the names of the fields; a value that is not there matches nothing. */
  readonly filters: Readonly<Record<string, string | boolean>>
  readonly sortKey: string
  readonly descending: boolean
  readonly limit: number
  readonly marker: string | undefined
  /** How many are left out first; 0 beside a marker. */
  readonly offset: number
}

/** A list in one piece, for the platform's own use. */
export const all = (filters: ListQuery['filters']): ListQuery => ({
  filters,
  sortKey: 'name',
  descending: false,
  limit: 1_000_000,
  marker: undefined,
  offset: 0,
})

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page goes on; undefined for the last. */
  readonly next: string | undefined
}

/** A list of only those that stand in a relation to something else. */
export type RelatedTo =
  | { readonly relation: 'members-of-group'; readonly groupId: string }
  | { readonly relation: 'groups-of-user'; readonly userId: string }
  | { readonly relation: 'projects-of-user'; readonly userId: string }
  | { readonly relation: 'policies-of-role'; readonly roleId: string }
  | { readonly relation: 'roles-of-holder'; readonly holder: Holder; readonly scope: Scope }

export interface AssignmentQuery {
  readonly userId?: string
  readonly groupId?: string
  readonly roleId?: string
  readonly scope?: Scope['kind']
  readonly projectId?: string
  readonly domainId?: string
  /** Groups are shown as their members. */
  readonly effective: boolean
  readonly limit: number
  readonly marker: string | undefined
  /** How many are left out first; 0 beside a marker. */
  readonly offset: number
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

/** One step of a change. */
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
  | {
      readonly do: 'revoke-tokens'
      readonly of: 'user' | 'project' | 'domain' | 'access-key' | 'provider'
      readonly id: string
    }
  /** Nothing of the change happens where it still has servers. */
  | { readonly do: 'require-no-servers'; readonly of: 'project' | 'domain'; readonly id: string }
  | {
      readonly do: 'link'
      readonly providerId: string
      readonly subject: string
      readonly userId: string
    }

/** What a change comes to once it is thought through; without writes nothing happens. */
export interface ChangePlan<Result> {
  readonly writes: readonly Write[]
  readonly events: readonly EventRecord[]
  readonly result: Result
}

/** Everything that is administered, and the one way to change it. */
export interface Registry {
  list<K extends ResourceKind>(
    kind: K,
    authorizedScope: AuthorizedScope,
    query: ListQuery,
    relatedTo?: RelatedTo,
  ): Promise<Page<Resources[K]>>
  /** Within the caller's scope; what lies outside does not exist. */
  find<K extends ResourceKind>(
    kind: K,
    id: string,
    authorizedScope: AuthorizedScope,
  ): Promise<Resources[K] | undefined>
  /** Names are unique in their domain, or everywhere for what has none. */
  isNameTaken(kind: ResourceKind, name: string, domainId?: string): Promise<boolean>
  listGrants(authorizedScope: AuthorizedScope, query: AssignmentQuery): Promise<Page<GrantRecord>>
  /** A grant that is there, and the provider whose mapping gave it; null where somebody did. */
  findGrant(grant: Grant): Promise<{ readonly providerId: string | null } | undefined>
  /** What a user or a group holds, a user also through groups. */
  assignmentsOf(holder: Holder): Promise<readonly Assignment[]>
  policiesOfRole(roleId: string): Promise<readonly PolicyRecord[]>
  isMember(groupId: string, userId: string): Promise<boolean>
  /** The user behind a provider's subject. */
  findSubject(providerId: string, subject: string): Promise<string | undefined>
  /** What a provider's mapping has given, to one user or to all. */
  grantsBy(providerId: string, userId?: string): Promise<readonly Grant[]>
  /** How many access keys a user has, with and without those that have expired. */
  countAccessKeys(
    userId: string,
    now: number,
  ): Promise<{ readonly all: number; readonly live: number }>
  impactOf(kind: 'domains' | 'projects' | 'users', id: string, now: number): Promise<Impact>
  /**
   * Decides on what is there, then writes it all together, and only if nothing has changed
   * meanwhile; else it decides again. A change that would leave the platform without anyone who
   * can administer it is refused.
   */
  applyChange<Result>(plan: () => Promise<ChangePlan<Result>>): Promise<Result>
}
