import type { ChangeConfigParameters, Server, UpdateParameters } from '@muster/contract'

/** What the dialogs edit, as texts while it is edited. */
export interface Size {
  readonly vcpus: string
  readonly memory: string
  readonly instanceType: string
  readonly forcesStop: boolean
}

export const sizeOf = (server: Server): Size => ({
  vcpus: server.vcpu_count === 0 ? '' : String(server.vcpu_count),
  memory: server.vmem_size === 0 ? '' : String(server.vmem_size),
  instanceType: server.instance_type,
  forcesStop: false,
})

export const isCount = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text)

/** Clouds resize by instance type, hypervisors by vCPUs and memory. */
export const hasInstanceTypes = ({ cloud_env }: Pick<Server, 'cloud_env'>): boolean =>
  cloud_env === 'public' || cloud_env === 'private'

/** The changed fields; undefined if there are none or they are invalid. */
export function sizeChanges(start: Size, size: Size): ChangeConfigParameters | undefined {
  const type = size.instanceType.trim()
  const changes = {
    ...(size.vcpus !== start.vcpus && { vcpu_count: Number(size.vcpus) }),
    ...(size.memory !== start.memory && { vmem_size: Number(size.memory) }),
    ...(type !== start.instanceType && type !== '' && { instance_type: type }),
  }
  const areCounts = [size.vcpus, size.memory].every((text, at) =>
    text === [start.vcpus, start.memory][at] ? true : isCount(text),
  )
  if (Object.keys(changes).length === 0 || !areCounts) return undefined
  return { ...changes, ...(size.forcesStop && { force_stop: true }) }
}

export interface Edited {
  readonly name: string
  readonly description: string
  readonly isProtected: boolean
}

export const editedOf = (server: Server): Edited => ({
  name: server.name,
  description: server.description,
  isProtected: server.disable_delete,
})

/** The changed fields; undefined if there are none. */
export function editChanges(start: Edited, edited: Edited): UpdateParameters | undefined {
  const name = edited.name.trim()
  const changes = {
    ...(name !== start.name && name !== '' && { name }),
    ...(edited.description !== start.description && { description: edited.description }),
    ...(edited.isProtected !== start.isProtected && { disable_delete: edited.isProtected }),
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}
