import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { childrenOf } from '../shared/parse-xml.ts'
import { shareConnections } from '../shared/share-connections.ts'
import { createIdentities, type Identities } from './identities.ts'
import { readInventory, type Inventory } from './inventory.ts'
import { requireHidden } from './property-collector.ts'
import { openSession, type Session } from './session.ts'
import { escapeXml, refXml, SoapFault, type ObjectRef } from './soap.ts'
import { createTagReader, type TagReader } from './tags.ts'
import { readVSphereSettings } from './vsphere-settings.ts'

/** A login, and what the account has read with it. */
export interface Connection {
  readonly session: Session
  readonly tags: TagReader
  readonly identities: Identities
  /** Reads the hosts, networks, folders and so on again. */
  readInventory(signal: AbortSignal): Promise<Inventory>
  /** The last inventory, unless one of these objects or custom attributes is new. */
  inventoryWith(
    refs: readonly ObjectRef[],
    attributes: readonly string[],
    signal: AbortSignal,
  ): Promise<Inventory>
  /** Whether the user could read the root when it logged in, and cannot any more. */
  hasLostAccess(signal: AbortSignal): Promise<boolean>
}

/** Without a permission on the root, vSphere lists fewer objects, and no error. */
async function canReadRoot(session: Session, signal: AbortSignal): Promise<boolean> {
  const api = session.until(signal)
  if (!api.isVCenter) return true
  const parameters = `${refXml('entity', api.manager('rootFolder'))}<sessionId>${escapeXml(session.id)}</sessionId><privId>System.View</privId><privId>System.Read</privId>`
  const response = await api
    .call('HasPrivilegeOnEntity', api.manager('authorizationManager'), parameters)
    .catch((error: unknown) => {
      if (error instanceof SoapFault && error.fault === 'NoPermission') return undefined
      throw error
    })
  const granted = childrenOf(response, 'returnval')
  return granted.length === 2 && granted.every(({ text }) => text === 'true')
}

/** Reads the inventory again when machines name objects that the last one lacks. */
export function renewInventory(
  session: Session,
  group: string,
  first: Inventory,
): Pick<Connection, 'readInventory' | 'inventoryWith'> {
  let inventory = first
  /** The user may not see these: reading the inventory again does not help. */
  let hidden = new Set<string>()
  const read = async (stop: AbortSignal) => (inventory = await readInventory(session, group, stop))
  return {
    async readInventory(stop) {
      hidden = new Set()
      return await read(stop)
    },
    async inventoryWith(refs, attributes, stop) {
      // An inventory that was cut lacks objects that the user may see, and would be cut again.
      const missing = () =>
        inventory.errors.length > 0 ? [] : refs.filter(({ id }) => !inventory.get(id))
      const unknown = () => [
        ...missing().map(({ id }) => id),
        ...attributes.filter((key) => !inventory.attributes.has(key)),
      ]
      if (unknown().every((id) => hidden.has(id))) return inventory
      await read(stop)
      const left = new Map(missing().map((ref) => [ref.id, ref]))
      await requireHidden(session.until(stop), [...left.values()])
      for (const id of unknown()) hidden.add(id)
      return inventory
    },
  }
}

async function openConnection(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Connection> {
  const vsphere = readVSphereSettings(settings)
  const session = await openSession(vsphere, context, signal)
  try {
    const couldReadRoot = await canReadRoot(session, signal)
    const inventory = await readInventory(session, vsphere.group, signal)
    return {
      session,
      tags: createTagReader(session, vsphere, context.clock),
      identities: createIdentities(vsphere.group || inventory.site),
      ...renewInventory(session, vsphere.group, inventory),
      hasLostAccess: async (stop) => couldReadRoot && !(await canReadRoot(session, stop)),
    }
  } catch (error) {
    await session.close()
    throw error
  }
}

async function closeConnection({ session, tags }: Connection): Promise<void> {
  await tags.close()
  await session.close()
}

/** vCenter limits the number of sessions, so an account has one. */
export const acquireConnection = shareConnections({
  target: 'vSphere',
  open: openConnection,
  close: closeConnection,
  whenLost: ({ session }, forget) => void session.ended.then(forget),
})
