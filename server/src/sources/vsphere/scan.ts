import { chunk } from '../../domain/chunk.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ScanPage } from '../../domain/sources/source.ts'
import type { Connection } from './connection.ts'
import { compareIds } from './identities.ts'
import { listRefs } from './property-collector.ts'
import { checkAllMissing, readMachines } from './read-machines.ts'
import type { ObjectRef } from './soap.ts'
import { toResources } from './to-resources.ts'

/** Some 10 kB each. */
const machinesInPage = 50
const empty = { present: [], gone: [] }

/**
 * Yields all virtual machines, oldest first, after what they refer to. It reports none as gone: Muster decides about
 * those that are not listed, and holds them if they are many.
 */
export async function* scanMachines(
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const { session, identities } = connection
  let withoutTags = 0
  const inventory = await connection.readInventory(signal)
  const before = identities.ids()
  const refs = (await listRefs(session.until(signal), ['VirtualMachine'])).toSorted((one, other) =>
    compareIds(one.id, other.id),
  )
  const read = async (some: readonly ObjectRef[]): Promise<ScanPage> => {
    const { present, unreadable } = await readMachines(connection, some, signal)
    withoutTags += present.filter(({ unread }) => unread?.includes('tags')).length
    return { present, unreadable, gone: [] }
  }
  const listed = new Set(refs.map(({ id }) => id))
  const missing = before.filter((id) => !listed.has(id))
  // First, because one that is registered again would count as a copy while the old id is known.
  const { unreadable } = await checkAllMissing(
    connection,
    missing.map((id) => ({ type: 'VirtualMachine', id })),
    signal,
  )
  // Read before anything is reported: until then, the scan can begin again with a new login.
  const first = await read(refs.slice(0, machinesInPage))

  const { cloudregions, zones, hosts, networks } = toResources(inventory)
  yield { ...empty, resources: { ...(cloudregions && { cloudregions }), ...(zones && { zones }) } }
  yield { ...empty, resources: { ...(hosts && { hosts }) } }
  yield { ...empty, resources: { ...(networks && { networks }) } }
  const failed = inventory.errors.map((error) => ({ region: '', error, hasServers: true }))
  yield { ...empty, failed }
  yield first
  for (const page of chunk(refs.slice(machinesInPage), machinesInPage)) yield await read(page)

  yield { ...empty, unreadable }
  if (withoutTags > 0)
    yield { ...empty, forbidden: { permission: 'tags or custom attributes', servers: withoutTags } }
  // Checked last, so that a permission that was lost during the scan is noticed.
  if (await connection.hasLostAccess(signal)) {
    throw new SourceError(
      'forbidden',
      `The user is no longer allowed to read the root folder of ${session.host}: give it the role Read-only there, for all children.`,
    )
  }
}
