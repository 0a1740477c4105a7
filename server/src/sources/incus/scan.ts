import { chunk } from '../../domain/chunk.ts'
import type { ScanPage } from '../../domain/sources/source.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './instance.ts'
import { listInstances, listProjects } from './list-instances.ts'
import { readLookups } from './lookups.ts'
import { readServers } from './read-servers.ts'
import { toResources } from './to-resources.ts'

/** Addresses change without an event. They are read again at the first scan after this time. */
const maxStateAge = 60_000

/** Reports all instances of all projects. */
export async function* scanInstances(connection: Connection): AsyncGenerator<ScanPage> {
  const { daemon, memory } = connection
  const projects = await listProjects(connection)
  const { instances, unreadable, failed: unread } = await listInstances(connection, projects)
  const lookups = await readLookups(connection, projects)
  memory.lookups = lookups
  const isListed = new Set(instances.map(pathOf))
  for (const path of memory.states.keys()) if (!isListed.has(path)) memory.states.delete(path)
  yield {
    present: [],
    gone: [],
    unreadable,
    resources: toResources(daemon, lookups),
    // The certificate may lose a project, and a change of the account may leave one out.
    tenants: projects.map(({ name }) => name),
  }
  for (const part of chunk(instances)) yield await readServers(connection, part, maxStateAge)
  const { denied, failed } = lookups.problems
  const errors = [...failed.values(), ...lookups.budget.errors()]
  const parts = errors.map((error) => ({ region: '', error, hasServers: true }))
  yield { present: [], gone: [], failed: [...unread, ...parts] }
  if (denied.size === 0) return
  const permission = [...denied].sort().join(', ')
  yield { present: [], gone: [], forbidden: { permission, servers: instances.length } }
}
