import type { Changes } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { diffFields, fieldsOfNew } from '../../audit/field-diff.ts'
import type { ChangePlan, Write } from './registry.ts'
import { nounOf, type ResourceKind, type Resources, type Secrets } from './resources.ts'
import type { Scope } from '../../scope.ts'

type SecretFields<K extends ResourceKind> = K extends keyof Secrets ? Secrets[K] : object

/** What goes with an update extras the fields that anyone may read of. */
interface Extras<K extends ResourceKind> {
  readonly secrets?: Partial<SecretFields<K>>
  /** What the log says of the secrets. */
  readonly changes?: Changes
  readonly writes?: readonly Write[]
}

/** Nothing is to be done: it is so already. */
export const noChange: ChangePlan<undefined> = { writes: [], events: [], result: undefined }

/** What a change of one kind of resource comes to: the rows to write, and the event that tells of them. */
export function createChangePlans<K extends ResourceKind>(
  kind: K,
  clock: Clock,
  scopeOf: (resource: Resources[K]) => Scope,
  /** The fields as events list them. */
  toFields: (resource: Partial<Resources[K]>) => object = (resource) => resource,
) {
  const tell = (caller: Caller, action: string, resource: Resources[K], changes: Changes) =>
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
        events: [tell(caller, 'create', resource, fieldsOfNew(toFields(resource)))],
        result: resource,
      }
    },

    /** Only what would be different is written; where nothing would be, nothing is. */
    toUpdate(
      caller: Caller,
      before: Resources[K],
      wish: Partial<Resources[K]>,
      extras: (after: Resources[K]) => Extras<K> = () => ({}),
    ): ChangePlan<Resources[K]> {
      const after = { ...before, ...wish }
      const { secrets, changes, writes = [] } = extras(after)
      const difference = { ...diffFields(toFields(before), toFields(wish)), ...changes }
      if (Object.keys(difference).length === 0) return { writes: [], events: [], result: after }
      const update = { do: 'update', kind, id: before.id, changes: { ...wish, ...secrets } }
      return {
        writes: [update as Write, ...writes],
        events: [tell(caller, 'update', after, difference)],
        result: after,
      }
    },

    /** The rows that go with it by reference need no mention; what was touched is told. */
    toDelete(
      caller: Caller,
      resource: Resources[K],
      { writes = [], changes = {} }: Pick<Extras<K>, 'writes' | 'changes'> = {},
    ): ChangePlan<undefined> {
      return {
        // Its row first: who was about to build on it is in by then, and goes with what follows.
        writes: [{ do: 'delete', kind, id: resource.id }, ...writes],
        events: [tell(caller, 'delete', resource, changes)],
        result: undefined,
      }
    },

    /** Something between this resource and another. */
    toRelate(
      caller: Caller,
      action: string,
      resource: Resources[K],
      changes: Changes,
      write: Write,
    ): ChangePlan<undefined> {
      return {
        writes: [write],
        events: [tell(caller, action, resource, changes)],
        result: undefined,
      }
    },
  }
}
