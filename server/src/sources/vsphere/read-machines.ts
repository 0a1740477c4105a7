import type {
  ReportedServer,
  ServerKey,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { Connection } from './connection.ts'
import { decodeName, type Inventory } from './inventory.ts'
import { createMachine, machineProperties, uuidOf, type Machine } from './machine.ts'
import { isDeleted, readObjects, type ObjectContent } from './property-collector.ts'
import { UnparsableResponse, type ObjectRef } from './soap.ts'
import { toServer } from './to-server.ts'

const spec = { VirtualMachine: machineProperties }

const uuidProperty = ['config.instanceUuid'] as const

type Read = ObjectContent | UnparsableResponse

/** Reads machines, and bisects a page until the unparsable machine is alone. */
async function readContents(
  { session, identities }: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Read>> {
  const contents = new Map<string, Read>()
  async function read(some: readonly ObjectRef[]): Promise<void> {
    try {
      const found = await readObjects(session, spec, some, signal)
      for (const content of found) contents.set(content.ref.id, content)
    } catch (error) {
      if (!(error instanceof UnparsableResponse)) throw error
      const [only] = some
      if (some.length === 1 && only) {
        contents.set(only.id, error)
        // Its key must be the one of the server that is stored.
        const [identified] = await readObjects(
          session,
          { VirtualMachine: uuidProperty },
          some,
          signal,
        )
        const uuid = identified?.properties.get(uuidProperty[0])?.text ?? ''
        identities.add(only.id, uuid, identities.nameOf(only.id))
        return
      }
      const middle = Math.ceil(some.length / 2)
      await read(some.slice(0, middle))
      await read(some.slice(middle))
    }
  }
  await read(refs)
  const [first, ...others] = contents.values()
  // Not one odd machine, but a source that sends no XML.
  if (first instanceof UnparsableResponse && others.every((one) => one instanceof Error))
    throw first
  return contents
}

const isTemplate = (machine: Machine) => machine.text('config.template') === 'true'

interface Found {
  readonly server?: ReportedServer | UnreadableServer
  readonly gone?: ServerKey
}

const toUpdate = (found: readonly Found[]): Required<SourceUpdate> => {
  const servers = found.flatMap(({ server }) => server ?? [])
  return {
    present: servers.filter((server) => 'facts' in server),
    unreadable: servers.filter((server) => 'reason' in server),
    gone: found.flatMap(({ gone }) => (gone === undefined ? [] : [gone])),
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
  const { key } = identities.of(ref.id)
  if (await isDeleted(session, ref, signal)) {
    identities.remove(ref.id)
    return { gone: key }
  }
  const error = new SourceError('forbidden', 'The user is no longer allowed to see it.')
  return { server: unreadableServer(key, identities.nameOf(ref.id), error) }
}

export async function checkAllMissing(
  connection: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<Required<SourceUpdate>> {
  const found: Found[] = []
  for (const ref of refs) found.push(await checkMissing(connection, ref, signal))
  return toUpdate(found)
}

function describe(
  { identities }: Connection,
  machine: Machine,
  inventory: Inventory,
  denied: boolean,
): Found {
  const { id } = machine.ref
  const name = decodeName(machine.value('name')?.text ?? '') || id
  identities.add(id, uuidOf(machine), name)
  const identity = identities.of(id)
  // A template cannot be started, so it is no server.
  if (isTemplate(machine)) {
    identities.remove(id)
    return { gone: identity.key }
  }
  try {
    if (denied) throw new SourceError('forbidden', 'The user is not allowed to read it.')
    if (machine.text('config.instanceUuid') === '') {
      const state = machine.text('runtime.connectionState')
      throw new SourceError('incomplete', `vSphere cannot read its configuration (${state}).`)
    }
    return { server: toServer(machine, identity, inventory) }
  } catch (error) {
    return { server: unreadableServer(identity.key, name, error) }
  }
}

/** Reads virtual machines. The oldest must be read first, see `Identities`. */
export async function readMachines(
  connection: Connection,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<Required<SourceUpdate>> {
  if (refs.length === 0) return toUpdate([])
  const { identities } = connection
  const contents = await readContents(connection, refs, signal)
  const tags = await connection.tags.read(refs, signal)
  const machines = contents
    .values()
    .flatMap((read) => ('ref' in read ? [createMachine(read, tags.get(read.ref.id))] : []))
  const byId = new Map(machines.map((machine) => [machine.ref.id, machine]))
  const named = (['runtime.host', 'parent', 'resourcePool'] as const).flatMap((property) =>
    [...byId.values()].map((machine) => machine.refId(property)),
  )
  const inventory = await connection.inventoryWith(named, signal)
  const found: Found[] = []
  for (const ref of refs) {
    const [read, machine] = [contents.get(ref.id), byId.get(ref.id)]
    if (read instanceof Error) {
      const { key } = identities.of(ref.id)
      found.push({ server: unreadableServer(key, identities.nameOf(ref.id), read) })
    } else if (read && machine) {
      found.push(describe(connection, machine, inventory, read.denied.length > 0))
    } else {
      found.push(await checkMissing(connection, ref, signal))
    }
  }
  return toUpdate(found)
}
