import { randomUUID } from 'node:crypto'
import type { Disk } from '@muster/contract'
import {
  describedChildKinds,
  referencedKinds,
  referenceTo,
  resourceOf,
  type ChildKind,
  type ReferencedKind,
} from '../../domain/inventory/kinds.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { completeItem } from '../../domain/sources/reported-parts.ts'

/** A server of which the source reports only what is required. */
export function minimalServer(projectId: string, facts: Partial<ServerFacts> = {}): ServerFacts {
  const id = randomUUID()
  return {
    id,
    name: `server ${id}`,
    status: 'running',
    project_id: projectId,
    created_at: '2026-05-04T08:00:00.000000Z',
    provider: 'Aws',
    account_id: 'account',
    tags: { env: 'prod' },
    ...facts,
  }
}

/** What a server says to refer to a resource of each kind. */
export function referringFacts(idOf: (kind: ReferencedKind) => string): Partial<ServerFacts> {
  const nic = {
    ip_addr: '10.4.0.7',
    ip6_addr: '',
    mac: '',
    team_with: '',
    vpc_id: '',
    is_exit: false,
  }
  return {
    ...Object.fromEntries(referencedKinds.map((kind) => [referenceTo(kind).field, idOf(kind)])),
    nics: [{ ...nic, network_id: idOf('networks') }],
  }
}

const emptyDisk: Disk = {
  id: '',
  name: 'root',
  index: 0,
  size: 20_480,
  disk_type: 'sys',
  disk_format: 'raw',
  driver: 'virtio',
  cache_mode: 'none',
  aio_mode: 'native',
  medium_type: 'ssd',
  storage_type: 'local',
  fs: '',
  iops: 0,
  bps: 0,
  image: '',
  image_id: '',
}

/** What a server says to have a disk. */
export const withDisk = (disk: Partial<Disk> & { readonly id: string }): Partial<ServerFacts> => ({
  disks_info: [{ ...emptyDisk, ...disk }],
})

/** What a server says to have an item of each kind besides disks. */
export const withItems = (
  draw: (kind: ChildKind) => readonly Readonly<Record<string, unknown>>[],
  serverId: string,
): Partial<ServerFacts> =>
  Object.fromEntries(
    describedChildKinds.map((kind) => [
      `${kind}_info`,
      draw(kind).map((item) => completeItem(resourceOf(kind), item, serverId)),
    ]),
  )

/** A server that refers to a resource of each kind, and has one, all with its own id. */
export function serverWithResources(projectId: string): ServerFacts {
  const server = minimalServer(projectId)
  const { id } = server
  return {
    ...server,
    ...referringFacts(() => id),
    ...withDisk({ id }),
    ...withItems(() => [{ id, name: id }], id),
  }
}
