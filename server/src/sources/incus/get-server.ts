import type {
  ReportedServer,
  ServerReference,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { findReported } from '../shared/find-reported.ts'
import type { Connection } from './connection.ts'
import { readExternalId } from './instance-index.ts'
import { listInstances, listProjects, notListed } from './list-instances.ts'
import { readChanges } from './read-changes.ts'

/**
 * Reads instances, in this order; undefined for those that are gone. One that is not where it was is looked up
 * by its UUID in a list, because it may have another name or project now.
 */
export async function getServers(
  connection: Connection,
  references: readonly ServerReference[],
): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
  const { memory, projects: given, api } = connection
  const { index } = memory
  const isWanted = (tenant: string) => given.length === 0 || tenant === '' || given.includes(tenant)
  const wanted = references.map(({ externalId, tenantId }) => {
    const { uuid, path } = readExternalId(externalId)
    return { uuid, path, tenantId }
  })

  const pathNow = ({ uuid, path, tenantId }: (typeof wanted)[number]) => {
    if (!isWanted(tenantId)) return undefined
    return path === '' ? ([...index.pathsOf(uuid)].sort()[0] ?? index.lastPathOf(uuid)) : path
  }
  function find(update: SourceUpdate, uuid: string, path: string | undefined) {
    if (path === undefined || index.uuidOf(path) !== uuid) return undefined
    return findReported(update, index.keyOf(path))
  }
  const readAll = (paths: readonly (string | undefined)[]) =>
    readChanges(
      connection,
      [...new Set(paths.filter((path) => path !== undefined))],
      (_, error) => {
        throw error
      },
    )

  const paths = wanted.map(pathNow)
  const first = await readAll(paths)
  const found = wanted.map(({ uuid }, at) => find(first, uuid, paths[at]))
  if (!found.includes(undefined)) return found

  const projects = await listProjects(connection)
  const { failed } = await listInstances(connection, projects)
  const others = wanted.map((one, at) => (found[at] ? undefined : pathNow(one)))
  const second = await readAll(others)
  return wanted.map(({ uuid, tenantId }, at) => {
    const server = found[at] ?? find(second, uuid, others[at])
    // It may be one that cannot be identified.
    if (!server && failed[0]) throw failed[0].error
    const isListed = tenantId === '' || projects.some(({ name }) => name === tenantId)
    if (!server && !isListed && isWanted(tenantId)) throw notListed(api, tenantId)
    return server
  })
}
