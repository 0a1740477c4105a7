import type { ServerKey } from '../../domain/sources/source.ts'

export interface Identity {
  readonly key: ServerKey
  readonly externalId: string
}

interface Known {
  readonly uuid: string
  readonly name: string
}

const maxFormer = 10_000

/** Ids of vSphere end with a number that grows. */
export function compareIds(one: string, other: string): number {
  const [number, otherNumber] = [one, other].map((id) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? 0))
  return (number ?? 0) - (otherNumber ?? 0) || (one < other ? -1 : 1)
}

/**
 * The virtual machines that an account has seen, by their id in the vCenter. The UUID identifies a
 * server, because it stays when the virtual machine is registered again. If several have the same
 * UUID, as copies on a standalone host, all but the oldest are identified by both.
 */
export interface Identities {
  /** A UUID that is unknown now, because the files cannot be read, may be known from before. */
  add(id: string, uuid: string, name: string): void
  /** The identity is kept, because a scan and an event may both find that the machine is gone. */
  remove(id: string): void
  nameOf(id: string): string
  of(id: string): Identity
  /** The key of the server that was reported with this external id. */
  keyOf(externalId: string): ServerKey
  ids(): readonly string[]
  withUuid(uuid: string): readonly string[]
}

export function createIdentities(group: string): Identities {
  const known = new Map<string, Known>()
  const byUuid = new Map<string, Set<string>>()
  const former = new Map<string, Identity>()

  const keyOf = (externalId: string) => ['vsphere', group, ...externalId.split('/')]
  const withUuid = (uuid: string) => [...(byUuid.get(uuid) ?? [])].sort(compareIds)

  function of(id: string): Identity {
    const { uuid = '' } = known.get(id) ?? {}
    if (uuid === '') return former.get(id) ?? { key: keyOf(id), externalId: id }
    const externalId = withUuid(uuid)[0] === id ? uuid : `${uuid}/${id}`
    return { key: keyOf(externalId), externalId }
  }

  function forget(id: string): void {
    const { uuid = '' } = known.get(id) ?? {}
    byUuid.get(uuid)?.delete(id)
    if (byUuid.get(uuid)?.size === 0) byUuid.delete(uuid)
    known.delete(id)
  }

  return {
    add(id, uuid, name) {
      const current = uuid || (known.get(id)?.uuid ?? '')
      forget(id)
      known.set(id, { uuid: current, name })
      if (current !== '') byUuid.set(current, (byUuid.get(current) ?? new Set()).add(id))
    },
    remove(id) {
      if (!known.has(id)) return
      if (former.size === maxFormer) former.clear()
      former.set(id, of(id))
      forget(id)
    },
    nameOf: (id) => known.get(id)?.name ?? id,
    of,
    keyOf,
    ids: () => [...known.keys()],
    withUuid,
  }
}
