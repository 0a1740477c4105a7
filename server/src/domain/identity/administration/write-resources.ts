import {
  administeredResources,
  storedFields,
  type AdministeredResource,
  type AdministeredResources,
  type administrationOperations,
  type BodyOf,
} from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { newId } from '../../new-id.ts'
import { readTimestamp } from '../../read-timestamp.ts'
import type { Caller } from '../caller.ts'
import { createChangePlans, type Change, type Extras, type SecretFields } from './change-plan.ts'
import type { Registry } from './registry.ts'
import {
  chooseOwner,
  requireFreeName,
  requireFreeRename,
  requireResource,
} from './require-resource.ts'
import type { ResourceKind, Resources } from './resources.ts'

type BodyOfAction<K extends ResourceKind, Action extends 'create' | 'update'> =
  BodyOf<
    Extract<
      (typeof administrationOperations)[number],
      { readonly id: `${Action}${AdministeredResources[K]['noun']}` }
    >
  > extends { readonly [Key in AdministeredResources[K]['key']]: infer Input extends object }
    ? Input
    : never

/** The fields of a request that creates a resource of a kind, or that changes it. */
export type NewOf<K extends ResourceKind> = BodyOfAction<K, 'create'>
export type ChangesOf<K extends ResourceKind> = BodyOfAction<K, 'update'>

export interface WriteContext {
  readonly registry: Registry
  readonly change: Change
  readonly clock: Clock
}

interface Update<K extends ResourceKind> {
  readonly before: Resources[K]
  readonly after: Resources[K]
  readonly input: ChangesOf<K>
  readonly secrets: Partial<SecretFields<K>> | undefined
}

/** Who may write a kind of resource, and what is written with it. Without rules the permission decides. */
export interface WriteRules<K extends ResourceKind> {
  /**
   * The stored fields of a new resource that do not come from the request as they are. Default: its owner.
   */
  readonly complete?: (caller: Caller, input: NewOf<K>) => Promise<Partial<Resources[K]>>
  /** The fields that are never shown, if the request does not bring them. */
  readonly secretsOf?: (resource: Resources[K], input: NewOf<K>) => SecretFields<K>
  readonly create?: (caller: Caller, resource: Resources[K]) => void | Promise<void>
  readonly update?: (
    caller: Caller,
    update: Update<K>,
  ) => Extras<K> | undefined | Promise<Extras<K> | undefined>
  readonly delete?: (
    caller: Caller,
    resource: Resources[K],
  ) => Extras<K> | undefined | Promise<Extras<K> | undefined>
  /** The fields as events list them. */
  readonly toFields?: (resource: Partial<Resources[K]>) => object
}

/** The fields of a request as they are stored. Clients may send null for an empty text. */
function readFields<K extends ResourceKind>(kind: K, input: object): Partial<Resources[K]> {
  const resource: AdministeredResource = administeredResources[kind]
  const given = new Map<string, unknown>(Object.entries(input))
  const read = ([name, field]: ReturnType<typeof storedFields>[number]) => {
    const value = given.get(name)
    if (value === null) return [[name, field.default]]
    if (value === undefined) return []
    const isTime = field.type === 'timestamp' && typeof value === 'string'
    return [[name, isTime ? readTimestamp(value, `${resource.key}.${name}`) : value]]
  }
  return Object.fromEntries(storedFields(resource).flatMap(read)) as Partial<Resources[K]>
}

/** Creates, updates and deletes a kind of resource, each with its audit event. */
export function createWriteUseCases<K extends ResourceKind>(
  kind: K,
  { registry, change, clock }: WriteContext,
  rules: WriteRules<K> = {},
) {
  const plans = createChangePlans(kind, { registry, clock, toFields: rules.toFields })
  const defaults = Object.fromEntries(
    storedFields(administeredResources[kind]).map(([name, field]) => [name, field.default]),
  )
  const find = ({ authorizedScope }: Caller, id: string) =>
    requireResource(registry, kind, id, authorizedScope)

  return {
    create: (caller: Caller, input: NewOf<K>, secrets?: SecretFields<K>): Promise<Resources[K]> =>
      change(caller, async (caller) => {
        const completed = await (rules.complete ?? chooseOwner(registry, kind))(caller, input)
        const resource = {
          ...defaults,
          ...readFields(kind, input),
          ...completed,
          id: newId(),
          created_at: clock(),
        } as unknown as Resources[K]
        await rules.create?.(caller, resource)
        await requireFreeName(registry, kind, resource)
        return await plans.toCreate(caller, resource, secrets ?? rules.secretsOf?.(resource, input))
      }),

    update: (
      caller: Caller,
      id: string,
      input: ChangesOf<K>,
      secrets?: Partial<SecretFields<K>>,
    ): Promise<Resources[K]> =>
      change(caller, async (caller) => {
        const before = await find(caller, id)
        const fields = readFields(kind, input)
        const after = { ...before, ...fields }
        const extras = await rules.update?.(caller, { before, after, input, secrets })
        await requireFreeRename(registry, kind, before, after)
        return await plans.toUpdate(caller, before, fields, { secrets, ...extras })
      }),

    delete: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const resource = await find(caller, id)
        return await plans.toDelete(caller, resource, await rules.delete?.(caller, resource))
      }),
  }
}
export type WriteUseCases<K extends ResourceKind> = ReturnType<typeof createWriteUseCases<K>>
