import type {
  ReportedServer,
  ServerReference,
  SourceUpdate,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { UnconfirmedAbsence } from '../../domain/sources/source-error.ts'
import { findReported } from '../shared/find-reported.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './instance.ts'
import { readExternalId } from './instance-index.ts'
import { findInstance, listInstances, listProjects, notListed } from './list-instances.ts'
import { isName } from './names.ts'
import { memberDown, readChanges } from './read-changes.ts'

const maxAtOnce = 4

/**
 * Reads instances, in this order; undefined for those that are gone. One that is not where it was is looked up
 * by its UUID in a list, because it may have another name or project now. A list may be incomplete, so one that it
 * lacks is read by its last name.
 */
export async function getServers(
  connection: Connection,
  references: readonly ServerReference[],
): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
  const { memory, projects: given, api } = connection
  const { index } = memory
  const isWanted = (tenant: string) => given.length === 0 || tenant === '' || given.includes(tenant)
  const wanted = references.map(({ externalId, tenantId, name }) => {
    const { uuid, path } = readExternalId(externalId)
    return { uuid, path, tenantId, name }
  })

  const pathNow = ({ uuid, path, tenantId }: (typeof wanted)[number]) => {
    if (!isWanted(tenantId)) return undefined
    return path === '' ? [...index.pathsOf(uuid)].sort()[0] : path
  }
  /** The index has no instance that the last list lacked. */
  async function findByName({ uuid, path, tenantId, name: lastName }: (typeof wanted)[number]) {
    const isKnown = path === '' ? index.pathsOf(uuid).size > 0 : index.uuidOf(path) !== undefined
    const [project = '', name = ''] = path === '' ? [tenantId, lastName] : path.split('/')
    if (isKnown || !isName(project) || !isName(name)) return
    const instance = await findInstance(api, project, name)
    if (instance && !('config' in instance)) throw memberDown(instance.location)
    if (instance?.uuid === uuid) index.update(pathOf(instance), uuid)
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
  const isListed = ({ tenantId }: (typeof wanted)[number]) =>
    tenantId === '' || projects.some(({ name }) => name === tenantId)
  const { failed } = await listInstances(connection, projects)
  const missing = wanted.filter((one, at) => !found[at] && isListed(one))
  await forEachLimited(missing, maxAtOnce, findByName)
  const others = wanted.map((one, at) => (found[at] ? undefined : pathNow(one)))
  const second = await readAll(others)
  return wanted.map((one, at) => {
    const server = found[at] ?? find(second, one.uuid, others[at])
    // It may be one that cannot be identified.
    if (!server && failed[0]) {
      const { error } = failed[0]
      throw error.kind === 'incomplete' ? new UnconfirmedAbsence(error.message) : error
    }
    if (!server && !isListed(one)) throw notListed(api, one.tenantId)
    return server
  })
}
