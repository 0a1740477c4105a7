import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, ServerKey, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import type { Connection } from './connection.ts'
import type { Inventory } from './inventory.ts'
import { createMachine, machineProperties, nameOf, uuidOf, type Machine } from './machine.ts'
import { isDeleted, readObjects, type ObjectContent } from './property-collector.ts'
import { isUnparsable, refOf, type ObjectRef } from './soap.ts'
import { toServer } from './to-server.ts'

/** Undefined if it is no server, or no longer. */
type Found = ReportedServer | UnreadableServer | undefined

/** Collects the results for machines. */
function createUpdate({ identities }: Connection) {
  const present: ReportedServer[] = []
  const unreadable: UnreadableServer[] = []
  const gone: ServerKey[] = []
  return {
    add({ id }: ObjectRef, found: Found) {
      if (!found) gone.push(identities.of(id).key)
      else if ('facts' in found) present.push(found)
      else unreadable.push(found)
    },
    update: { present, unreadable, gone },
  }
}
type Update = ReturnType<typeof createUpdate>['update']

/** Reads machines, and bisects a page until the unparsable machine is alone. */
async function* readContents(
  { session, identities }: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): AsyncGenerator<ObjectContent | UnparsableMachine> {
  const api = session.until(signal)
  const open = [refs]
  for (let some = open.pop(); some; some = open.pop()) {
    try {
      yield* await readObjects(api, { VirtualMachine: machineProperties }, some)
    } catch (problem) {
      if (!isUnparsable(problem)) throw problem
      const [ref] = some
      if (some.length > 1 || !ref) {
        const middle = Math.ceil(some.length / 2)
        open.push(some.slice(middle), some.slice(0, middle))
        continue
      }
      // Its key must be the one of the server that is stored. If that fails too, no XML arrives at all.
      const [content] = await readObjects(api, { VirtualMachine: ['config.instanceUuid'] }, some)
      if (content) identities.add(ref.id, uuidOf(createMachine(content)), identities.nameOf(ref.id))
      yield { ref, problem }
    }
  }
}

interface UnparsableMachine {
  readonly ref: ObjectRef
  readonly problem: SourceError
}

/** A machine as a server, or why it cannot be read. */
function describe({ identities }: Connection, machine: Machine, inventory: Inventory): Found {
  const { id } = machine.ref
  identities.add(id, uuidOf(machine), nameOf(machine))
  const identity = identities.of(id)
  // A template cannot be started, so it is no server.
  if (machine.text('config.template') === 'true') {
    identities.remove(id)
    return undefined
  }
  try {
    if (machine.isDenied) throw new SourceError('forbidden', 'The user is not allowed to read it.')
    if (machine.text('config.instanceUuid') === '') {
      const state = machine.text('runtime.connectionState')
      throw new SourceError('incomplete', `vSphere cannot read its configuration (${state}).`)
    }
    return toServer(machine, identity, inventory)
  } catch (error) {
    return unreadableServer(identity.key, nameOf(machine), error)
  }
}

/**
 * A machine that was listed before and is not any more. It counts as gone only if vSphere says that it does
 * not exist: a machine that the user may no longer see is not listed either.
 */
async function checkMissing(
  { session, identities }: Connection,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Found> {
  if (await isDeleted(session.until(signal), ref)) {
    identities.remove(ref.id)
    return undefined
  }
  const error = new SourceError('forbidden', 'The user is no longer allowed to see it.')
  return unreadableServer(identities.of(ref.id).key, identities.nameOf(ref.id), error)
}

/** Finds out whether machines that were listed before are gone. */
export async function checkAllMissing(
  connection: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<Update> {
  const { add, update } = createUpdate(connection)
  for (const ref of refs) add(ref, await checkMissing(connection, ref, signal))
  return update
}

/** Reads virtual machines. The oldest must be read first, see `Identities`. */
export async function readMachines(
  connection: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<Update> {
  const { identities } = connection
  const { add, update } = createUpdate(connection)
  if (refs.length === 0) return update
  // First, because a login to the REST API does not notice another vCenter behind the address. The next request does.
  const tagsOf = await connection.tags.read(refs, signal)
  const contents = await Array.fromAsync(readContents(connection, refs, signal))
  const machines = contents.flatMap((read) =>
    'problem' in read ? [] : createMachine(read, tagsOf(read.ref.id)),
  )
  const named = machines.flatMap(({ value }) =>
    (['runtime.host', 'parent', 'resourcePool'] as const).flatMap(
      (path) => refOf(value(path)) ?? [],
    ),
  )
  const attributes = machines.flatMap(({ attributes: given }) => [...given.keys()])
  const inventory = await connection.inventoryWith(named, attributes, signal)
  // First, because one that is registered again has the UUID of one that is gone.
  const read = new Set(contents.map(({ ref }) => ref.id))
  for (const ref of refs.filter(({ id }) => !read.has(id)))
    add(ref, await checkMissing(connection, ref, signal))
  for (const machine of machines) add(machine.ref, describe(connection, machine, inventory))
  for (const { ref, problem } of contents.filter((read) => 'problem' in read))
    add(ref, unreadableServer(identities.of(ref.id).key, identities.nameOf(ref.id), problem))
  return update
}
