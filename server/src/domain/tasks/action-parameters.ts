import type { ServerAction, TaskParameters } from '@muster/contract'
import { badField } from '../error.ts'
import type { StoredServer } from '../inventory/ports.ts'
import type { TaskStore } from './ports.ts'

const sizeFields = ['vcpu_count', 'vmem_size', 'instance_type'] as const

/** Checks parameters that depend on each other, or on settings. */
export function requireConsistent(
  action: ServerAction,
  params: TaskParameters,
  { taskTimeout, path }: { readonly taskTimeout: number; readonly path: string },
): void {
  if (action === 'change-config' && sizeFields.every((name) => params[name] === undefined)) {
    throw badField(path, `needs one of ${sizeFields.join(', ')}`, 'MissingParameterError')
  }
  requireTimeout(params, taskTimeout, path)
}

/** A guest cannot have more time than the whole task. */
function requireTimeout({ timeout_secs }: TaskParameters, limit: number, path: string): void {
  const most = Math.floor(limit / 1_000)
  if (Number(timeout_secs ?? 0) <= most) return
  throw badField(`${path}.timeout_secs`, `must be at most ${most}, the time limit of a task`)
}

/**
 * Without a recycle bin, every deletion is at once. For a server that is already in the bin, the earlier
 * choice about its disks and snapshots applies.
 */
export async function deleteParameters(
  params: TaskParameters,
  { id, server }: StoredServer,
  { tasks, recycleFor }: { readonly tasks: TaskStore; readonly recycleFor: number },
): Promise<TaskParameters> {
  const remembered = server.pending_deleted ? await tasks.binEntry(id) : undefined
  return {
    ...(remembered && {
      delete_disks: remembered.delete_disks,
      delete_snapshots: remembered.delete_snapshots,
    }),
    ...params,
    ...(recycleFor === 0 && { override_pending_delete: true }),
  }
}
