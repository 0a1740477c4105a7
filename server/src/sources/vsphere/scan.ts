import { chunk } from '../../domain/chunk.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ScanPage } from '../../domain/sources/source.ts'
import type { Connection } from './connection.ts'
import { compareIds } from './identities.ts'
import { listRefs } from './property-collector.ts'
import { checkAllMissing, readMachines } from './read-machines.ts'
import { toResources } from './to-resources.ts'

/** Some 10 kB each. */
const machinesInPage = 50
const empty = { present: [], gone: [] }

/** Yields all virtual machines, oldest first, after what they refer to. */
export async function* scanMachines(
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<ScanPage> {
  const { session, identities, tags } = connection
  const { cloudregions, zones, hosts, networks } = toResources(
    await connection.readInventory(signal),
  )
  yield { ...empty, resources: { ...(cloudregions && { cloudregions }), ...(zones && { zones }) } }
  yield { ...empty, resources: { ...(hosts && { hosts }) } }
  yield { ...empty, resources: { ...(networks && { networks }) } }

  const before = identities.ids()
  const refs = (await listRefs(session.until(signal), ['VirtualMachine'])).toSorted((one, other) =>
    compareIds(one.id, other.id),
  )
  let count = 0
  for (const page of chunk(refs, machinesInPage)) {
    const update = await readMachines(connection, page, signal)
    count += update.present.length
    yield update
  }
  const listed = new Set(refs.map(({ id }) => id))
  const missing = before.filter((id) => !listed.has(id))
  yield await checkAllMissing(
    connection,
    missing.map((id) => ({ type: 'VirtualMachine', id })),
    signal,
  )
  if (tags.isDenied())
    yield { ...empty, forbidden: { permission: 'tags in the REST API', servers: count } }
  // Checked last, so that a permission that was lost during the scan is noticed.
  if (await connection.hasLostAccess(signal)) {
    throw new SourceError(
      'forbidden',
      `The user is no longer allowed to read the root folder of ${session.host}: give it the role Read-only there, for all children.`,
    )
  }
}
