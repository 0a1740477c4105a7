import type {
  ReportedServer,
  ServerReference,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { findReported } from '../shared/find-reported.ts'
import type { Connection } from './connection.ts'
import { readExternalId } from './instance-index.ts'
import { listInstances, listProjects, notListed } from './list-instances.ts'
import { readChanges } from './read-changes.ts'

/** Reads the instance at a path, unless it is another one. */
async function readAt(
  connection: Connection,
  path: string,
  uuid: string,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const { index } = connection.memory
  const update = await readChanges(connection, [path])
  return index.uuidOf(path) === uuid ? findReported(update, index.keyOf(path)) : undefined
}

/** Reads one instance. It is looked up by its UUID, because it may have another name or project now. */
export async function getServer(
  connection: Connection,
  { externalId, tenantId }: ServerReference,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const { memory } = connection
  const { uuid, path } = readExternalId(externalId)
  const pathNow = () => (path === '' ? [...memory.index.pathsOf(uuid)].sort()[0] : path)
  const known = pathNow()
  const found = known === undefined ? undefined : await readAt(connection, known, uuid)
  if (found) return found
  const projects = await listProjects(connection)
  await listInstances(connection, projects)
  const listed = pathNow()
  if (listed !== undefined) return await readAt(connection, listed, uuid)
  if (tenantId === '' || projects.some(({ name }) => name === tenantId)) return undefined
  throw notListed(connection.api, tenantId)
}
