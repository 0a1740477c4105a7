import { ActionError } from '../../domain/sources/action-port.ts'
import type { ServerReference } from '../../domain/sources/source.ts'
import type { Connection } from './connection.ts'
import type { Instance } from './instance.ts'
import { pathOf } from './instance.ts'
import { readExternalId } from './instance-index.ts'
import { findInstance, listInstances, listProjects, notListed } from './list-instances.ts'

/** Finds the project and the name that an instance has now. Requests name it by these, not by its UUID. */
export async function locateInstance(
  connection: Connection,
  { externalId, tenantId }: ServerReference,
): Promise<Instance> {
  const { api, memory } = connection
  const { uuid, path } = readExternalId(externalId)
  const paths = [...memory.index.pathsOf(uuid)].sort()
  if (paths.length > 1) {
    throw new ActionError(
      'conflict',
      `${api.host} has ${paths.length} instances with the UUID ${uuid}. Act on them there.`,
    )
  }
  const known = path === '' ? paths[0] : path
  if (known !== undefined) {
    const [project = '', name = ''] = known.split('/')
    const found = await findInstance(api, project, name)
    if (found && 'config' in found && found.uuid === uuid) return found
  }
  const projects = await listProjects(connection)
  const { instances, failed } = await listInstances(connection, projects)
  const [instance] = instances
    .filter((one) => one.uuid === uuid && (path === '' || pathOf(one) === path))
    .sort((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1))
  if (instance) return instance
  if (failed[0]) throw failed[0].error
  if (tenantId !== '' && projects.every(({ name }) => name !== tenantId)) {
    throw notListed(api, tenantId)
  }
  throw new ActionError('not-found', `${api.host} has no instance with the id ${externalId}.`)
}
