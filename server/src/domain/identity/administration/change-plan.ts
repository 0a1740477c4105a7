import type { Changes } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../caller.ts'
import type { ReauthorizeCaller } from '../reauthorize-caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { diffFields, fieldsOfNew } from '../../audit/field-diff.ts'
import type { ChangePlan, Registry, Write } from './registry.ts'
import { nounOf, type ResourceKind, type Resources, type Secrets } from './resources.ts'
import type { Scope } from '../../scope.ts'

type SecretFields<K extends ResourceKind> = K extends keyof Secrets ? Secrets[K] : object

/** What an update writes besides the visible fields. */
interface Extras<K extends ResourceKind> {
  readonly secrets?: Partial<SecretFields<K>>
  /** How the event shows the secrets. */
  readonly changes?: Changes
  readonly writes?: readonly Write[]
}

/** A plan for what is already so. */
export const noChange: ChangePlan<undefined> = { writes: [], events: [], result: undefined }

/** Several plans as one, so that all of it is written or nothing. */
export const joinPlans = <Result>(
  plans: readonly ChangePlan<unknown>[],
  result: Result,
): ChangePlan<Result> => ({
  writes: plans.flatMap(({ writes }) => writes),
  events: plans.flatMap(({ events }) => events),
  result,
})

/** Plans changes of one kind of resource: the rows to write and the event that records them. */
export function createChangePlans<K extends ResourceKind>(
  kind: K,
  clock: Clock,
  scopeOf: (resource: Resources[K]) => Scope,
  /** The fields as events list them. */
  toFields: (resource: Partial<Resources[K]>) => object = (resource) => resource,
) {
  const toEvent = (caller: Caller, action: string, resource: Resources[K], changes: Changes) =>
    createAuditEvent(
      caller,
      {
        action,
        targetType: nounOf[kind],
        targetId: resource.id,
        targetName: resource.name,
        scope: scopeOf(resource),
        changes,
      },
      clock,
    )

  return {
    toCreate(
      caller: Caller,
      resource: Resources[K],
      secrets?: SecretFields<K>,
    ): ChangePlan<Resources[K]> {
      const row = { ...resource, ...secrets }
      return {
        writes: [{ do: 'insert', kind, row } as Write],
        events: [toEvent(caller, 'create', resource, fieldsOfNew(toFields(resource)))],
        result: resource,
      }
    },

    /** Writes nothing where no field would change. */
    toUpdate(
      caller: Caller,
      before: Resources[K],
      input: Partial<Resources[K]>,
      extras: (after: Resources[K]) => Extras<K> = () => ({}),
    ): ChangePlan<Resources[K]> {
      const after = { ...before, ...input }
      const { secrets, changes, writes = [] } = extras(after)
      const difference = { ...diffFields(toFields(before), toFields(input)), ...changes }
      if (Object.keys(difference).length === 0) return { writes: [], events: [], result: after }
      const update = { do: 'update', kind, id: before.id, changes: { ...input, ...secrets } }
      return {
        writes: [update as Write, ...writes],
        events: [toEvent(caller, 'update', after, difference)],
        result: after,
      }
    },

    /** Foreign keys delete the rows that refer to it. */
    toDelete(
      caller: Caller,
      resource: Resources[K],
      { writes = [], changes = {} }: Pick<Extras<K>, 'writes' | 'changes'> = {},
    ): ChangePlan<undefined> {
      return {
        // Its row first: what a concurrent transaction adds to it is then deleted by the statements
        // that follow.
        writes: [{ do: 'delete', kind, id: resource.id }, ...writes],
        events: [toEvent(caller, 'delete', resource, changes)],
        result: undefined,
      }
    },

    /** Adds or removes a relation between this resource and another. */
    toRelate(
      caller: Caller,
      action: string,
      resource: Resources[K],
      changes: Changes,
      write: Write,
    ): ChangePlan<undefined> {
      return {
        writes: [write],
        events: [toEvent(caller, action, resource, changes)],
        result: undefined,
      }
    },
  }
}

/** Plans and applies a change with the caller's current permissions. */
export type Change = <Result>(
  caller: Caller,
  decide: (caller: Caller) => Promise<ChangePlan<Result>>,
) => Promise<Result>

/**
 * Reads the caller's permissions again for each plan: they may have changed since the request
 * arrived.
 */
export const createChange =
  (registry: Registry, reauthorizeCaller: ReauthorizeCaller): Change =>
  (caller, decide) =>
    registry.applyChange(async () => decide(await reauthorizeCaller(caller)))
