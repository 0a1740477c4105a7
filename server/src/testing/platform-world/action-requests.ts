import { childKinds } from '../../domain/inventory/kinds.ts'
import { newId } from '../../domain/new-id.ts'
import { change, finish, list, read } from './request-kinds.ts'

/** The tables that a changed tag of a server changes. The identity version stays. */
export const tagged = [
  'servers',
  'server_documents',
  'server_tags',
  'server_texts',
  'words',
  'change_commits',
  'server_changes',
  'fleet_version',
  'scope_versions',
  'events',
] as const

/** A changed description is searched for. */
const described = tagged.filter((table) => table !== 'server_tags' && table !== 'words')

/** A removed server is no longer counted, and what users wrote is deleted. */
const removed = [
  'servers',
  'server_documents',
  'server_tags',
  'server_texts',
  ...childKinds,
  'server_addresses',
  'server_networks',
  'server_counts',
  'server_combinations',
  'change_commits',
  'server_changes',
  'fleet_version',
  'scope_versions',
  'events',
] as const

const at = (id: string) => ({ path: { id } })

/** Requests that act on servers, and those on tasks; see `persona-requests.ts`. */
export const actionRequests = {
  startServer: read(({ serverId }) => at(serverId)),
  stopServer: read(({ serverId }) => at(serverId)),
  restartServer: read(({ serverId }) => at(serverId)),
  resetServer: read(({ serverId }) => at(serverId)),
  suspendServer: read(({ serverId }) => at(serverId)),
  resumeServer: read(({ serverId }) => at(serverId)),
  changeServerConfig: read(({ serverId }) => ({
    ...at(serverId),
    body: { server: { vcpu_count: 2 } },
  })),
  cancelServerDeletion: read(({ serverId }) => at(serverId)),
  deleteServer: read(({ serverId }) => at(serverId)),
  purgeServer: finish(removed, ({ serverId }) => at(serverId)),
  updateServer: change(described, ({ serverId }) => ({
    ...at(serverId),
    body: { server: { description: `new ${newId()}` } },
  })),
  getServerActions: read(({ serverId }) => at(serverId)),
  getRecycleBin: read(),
  listTasks: list(
    ({ taskId }) => ({ query: { id: taskId } }),
    ({ taskId }) => taskId,
  ),
  getTask: read(({ taskId }) => at(taskId)),
  listServerTasks: read(({ serverId }) => at(serverId)),
  cancelTask: finish(['tasks', 'events'], ({ taskId }) => at(taskId)),
  createBatch: change(['tasks', 'batches', 'events'], ({ serverId }) => ({
    body: { batch: { action: 'start', ids: [serverId] } },
  })),
  listBatches: list(
    ({ batchId }) => ({ query: { id: batchId } }),
    ({ batchId }) => batchId,
  ),
  getBatch: read(({ batchId }) => at(batchId)),
  cancelBatch: finish(['tasks', 'batches', 'events'], ({ batchId }) => at(batchId)),
}
