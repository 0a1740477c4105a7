import { randomUUID } from 'node:crypto'
import type { Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import {
  specifiedDevice,
  specifiedDisk,
  specifiedNic,
  specifiedServer,
} from './specified-fields.ts'

/** Fields that Muster makes itself, whatever a source says. */
export const madeByMuster: ReadonlySet<string> = new Set([
  'can_delete',
  'can_update',
  'delete_fail_reason',
  'update_fail_reason',
  'admin_secgrp_id',
  'admin_security_rules',
  'deleted',
  'deleted_at',
  'metadata',
  'cloudregion',
  'region_id',
  'region_external_id',
  'disk',
  'disk_count',
  'disks',
  'ips',
  'domain_id',
  'project',
  'project_domain',
  'tenant',
  'tenant_id',
  'secgroup',
  'secgrp_id',
  'manager_domain',
  'manager_domain_id',
  'manager_project',
  'update_version',
])

const same = <Value>(names: readonly string[], value: (name: string, at: number) => Value) =>
  Object.fromEntries(names.map((name, at) => [name, value(name, at)]))

const timestampAt = (at: number) => `2026-03-0${(at % 8) + 1}T01:02:03.00000${at % 10}Z`

/** A server with a distinct value in every field that a source can fill. */
export function filledServer(projectId: string, changes: Partial<ServerFacts> = {}): ServerFacts {
  const own = (names: readonly string[]) => names.filter((name) => !madeByMuster.has(name))
  const id = randomUUID()
  const disk = (index: number, size: number) => ({
    ...same(specifiedDisk.string, (name) => `${name}-${index}`),
    bps: 7,
    iops: 9,
    index,
    size,
  })
  const nic = (at: number) => ({
    ...same(specifiedNic.string, (name) => `${name}-${at}`),
    ip_addr: `10.4.0.${at}`,
    ip6_addr: at === 2 ? '' : `fd00::${at}`,
    is_exit: at === 1,
  })
  const device = {
    ...same(specifiedDevice.string, (name) => `device ${name}`),
    ...same(specifiedDevice.timestamp, (_, at) => timestampAt(at)),
    ...same(specifiedDevice.boolean, () => true),
    ...same(specifiedDevice.integer, (_, at) => at + 1),
    dev_type: 'GPU',
  }
  return {
    ...same(own(specifiedServer.string), (name) => `the ${name}`),
    ...same(own(specifiedServer.timestamp), (_, at) => timestampAt(at)),
    ...same(own(specifiedServer.integer), (_, at) => at + 3),
    ...same(own(specifiedServer.boolean), () => true),
    id,
    pending_deleted: false,
    is_gpu: false,
    project_id: projectId,
    manager_project_id: projectId,
    status: 'running',
    disks_info: [disk(0, 10240), disk(1, 1024)] as Server['disks_info'],
    nics: [nic(1), nic(2), nic(3)] as Server['nics'],
    isolated_devices: [device] as unknown as Server['isolated_devices'],
    secgroups: [
      {
        id: 'sg1',
        name: 'first',
      },
      {
        id: 'sg2',
        name: 'second',
      },
    ],
    adminGroup: {
      id: 'forced',
      rules: 'in:deny any',
    },
    tags: { Name: 'seven' },
    notes: { source_status: 'RUNNING' },
    ...changes,
  } as ServerFacts
}
