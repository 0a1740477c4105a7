import { changeKinds, type ChangeKind, type Server } from '@muster/contract'
import { origins } from '../metadata.ts'
import { isCheckKey } from './check-changes.ts'
import type { ServerDiff } from './server-diff.ts'

/** The kinds of change by field. A field that is not here is of kind `other`. */
const kindsByField: Readonly<Partial<Record<keyof Server, ChangeKind>>> = {
  account: 'moved',
  account_id: 'moved',
  admin_secgrp_id: 'security',
  admin_security_rules: 'security',
  cloudregion_id: 'moved',
  disks_info: 'disk',
  domain_id: 'moved',
  eip: 'address',
  eip_mode: 'address',
  flavor_id: 'size',
  host: 'moved',
  host_id: 'moved',
  instance_type: 'size',
  manager: 'moved',
  manager_id: 'moved',
  name: 'renamed',
  nics: 'address',
  project_id: 'moved',
  region: 'moved',
  secgroups: 'security',
  security_rules: 'security',
  src_ip_check: 'security',
  src_mac_check: 'security',
  status: 'status',
  vcpu_count: 'size',
  virtual_ips: 'address',
  vmem_size: 'size',
  zone: 'moved',
  zone_id: 'moved',
}

/** What Muster tracks for itself. It is part of a version, but of no kind. */
const bookkeeping: ReadonlySet<string> = new Set([
  'update_version',
  'updated_at',
  'sys:task_id',
  'sys:settled_status',
  'sys:described_by',
  'sys:synced_at',
])

export const isBookkeeping = (key: string): boolean => bookkeeping.has(key)

function kindOfField(key: string): ChangeKind | undefined {
  if (isBookkeeping(key)) return undefined
  if (isCheckKey(key)) return 'check'
  if (key.startsWith(origins.own) || key.startsWith(origins.source)) return 'tag'
  return (kindsByField as Readonly<Record<string, ChangeKind>>)[key] ?? 'other'
}

/** The kinds of a change. Empty if it is Muster's bookkeeping only. */
export function kindsOf(
  before: Server | undefined,
  after: Server,
  diff: ServerDiff,
): readonly ChangeKind[] {
  if (!before) return ['appeared']
  if (after.deleted && !before.deleted) return ['gone']
  if (before.deleted && !after.deleted) return ['returned']
  return kindsOfDiff(diff)
}

export function kindsOfDiff(diff: ServerDiff): readonly ChangeKind[] {
  const found = new Set(Object.keys(diff).map(kindOfField))
  return changeKinds.filter((kind) => found.has(kind))
}

/** What sources report while a task runs and shows this status, because of it. */
const expectedKinds: Readonly<Record<string, readonly ChangeKind[]>> = {
  sync_config: ['renamed'],
  change_flavor: ['size'],
  start_delete: ['gone'],
  deleting: ['gone'],
}

/** Whether a report follows from the task that the server shows. Others can change a server at the same time. */
export const isExpected = (shownStatus: string, kinds: readonly ChangeKind[]): boolean =>
  expectedKinds[shownStatus]?.some((kind) => kinds.includes(kind)) === true

/** The kinds as bits, in the order of the contract, to which kinds are only appended. */
export const toBits = (kinds: readonly ChangeKind[]): number =>
  kinds.reduce((bits, kind) => bits | (1 << changeKinds.indexOf(kind)), 0)

export const fromBits = (bits: number): readonly ChangeKind[] =>
  changeKinds.filter((_, at) => (bits & (1 << at)) !== 0)
