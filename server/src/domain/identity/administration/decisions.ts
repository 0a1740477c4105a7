import type { Changes } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { differences, everythingOf } from './changes.ts'
import type { Decision, Write } from './registry.ts'
import { nounOf, type Kind, type Resources, type Secrets } from './resources.ts'
import type { Scope } from '../../scope.ts'

type Kept<K extends Kind> = K extends keyof Secrets ? Secrets[K] : object

/** What goes with an update besides the fields that anyone may read of. */
interface Besides<K extends Kind> {
  readonly secrets?: Partial<Kept<K>>
  /** What the log says of the secrets. */
  readonly changes?: Changes
  readonly writes?: readonly Write[]
}

/** Nothing is to be done: it is so already. */
export const nothingToDo: Decision<undefined> = { writes: [], events: [], answer: undefined }

/** What a change of one kind of thing comes to: the rows to write, and the event that tells of them. */
export function createDecisions<K extends Kind>(
  kind: K,
  clock: Clock,
  scopeOf: (thing: Resources[K]) => Scope,
) {
  const tell = (caller: Caller, action: string, thing: Resources[K], changes: Changes) =>
    createAuditEvent(
      caller,
      {
        action,
        targetType: nounOf[kind],
        targetId: thing.id,
        targetName: thing.name,
        scope: scopeOf(thing),
        changes,
      },
      clock,
    )

  return {
    toCreate(caller: Caller, thing: Resources[K], secrets?: Kept<K>): Decision<Resources[K]> {
      const row = { ...thing, ...secrets }
      return {
        writes: [{ do: 'insert', kind, row } as Write],
        events: [tell(caller, 'create', thing, everythingOf(thing))],
        answer: thing,
      }
    },

    /** Only what would be different is written; where nothing would be, nothing is. */
    toUpdate(
      caller: Caller,
      before: Resources[K],
      wish: Partial<Resources[K]>,
      besides: (after: Resources[K]) => Besides<K> = () => ({}),
    ): Decision<Resources[K]> {
      const after = { ...before, ...wish }
      const { secrets, changes, writes = [] } = besides(after)
      const difference = { ...differences(before, wish), ...changes }
      if (Object.keys(difference).length === 0) return { writes: [], events: [], answer: after }
      const update = { do: 'update', kind, id: before.id, changes: { ...wish, ...secrets } }
      return {
        writes: [update as Write, ...writes],
        events: [tell(caller, 'update', after, difference)],
        answer: after,
      }
    },

    /** The rows that go with it by reference need no mention; what was touched is told. */
    toDelete(
      caller: Caller,
      thing: Resources[K],
      { writes = [], changes = {} }: Pick<Besides<K>, 'writes' | 'changes'> = {},
    ): Decision<undefined> {
      return {
        // Its row first: who was about to build on it is in by then, and goes with what follows.
        writes: [{ do: 'delete', kind, id: thing.id }, ...writes],
        events: [tell(caller, 'delete', thing, changes)],
        answer: undefined,
      }
    },

    /** Something between this thing and another. */
    toRelate(
      caller: Caller,
      action: string,
      thing: Resources[K],
      changes: Changes,
      write: Write,
    ): Decision<undefined> {
      return {
        writes: [write],
        events: [tell(caller, action, thing, changes)],
        answer: undefined,
      }
    },
  }
}
