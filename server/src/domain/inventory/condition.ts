import type { FieldUsedFor, servers } from '@muster/contract'
import type { Condition as GenericCondition } from '../query/condition.ts'

/**
 * A field that lists can be filtered and sorted by: every scalar field that does not depend on the caller.
 */
export type Field = FieldUsedFor<typeof servers, 'filter'>

/** Resources that a filter can refer to by id or by name. */
export const namedResources = ['project', 'host', 'zone', 'region', 'account', 'manager'] as const
export type NamedResource = (typeof namedResources)[number]

/** The fields with the id and the name of each. The name of a project is not stored. */
export const resourceFields = {
  host: ['host_id', 'host'],
  zone: ['zone_id', 'zone'],
  region: ['cloudregion_id', 'region'],
  account: ['account_id', 'account'],
  manager: ['manager_id', 'manager'],
} as const satisfies Record<Exclude<NamedResource, 'project'>, readonly [Field, Field]>

export type ServerCondition =
  /** One of the values is the id or the name of the resource. */
  | {
      readonly kind: 'resource'
      readonly resource: NamedResource
      readonly values: readonly string[]
    }
  /**
   * A key without a prefix is the tag of the user, or that of the source if the user has set none.
   * Without a value, the tag must exist.
   */
  | { readonly kind: 'tag'; readonly key: string; readonly value: string | undefined }
  /** The address of a NIC or the public address is in this range, in hex. */
  | { readonly kind: 'address'; readonly first: string; readonly last: string }
  /** A NIC is attached to the network with this id. */
  | { readonly kind: 'network'; readonly id: string }

/** A condition on servers. A search looks into metadata and MAC addresses, too. */
export type Condition = GenericCondition<Field, ServerCondition>

export const everyServer: Condition = { kind: 'all', conditions: [] }
