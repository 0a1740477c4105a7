import type { ServerChange } from '@muster/contract'
import { checkName } from './check-text.ts'
import type { Messages } from '../messages/en/index.ts'
import type { Format } from '../messages/format.ts'
import { describeItems, type FieldChange, type ItemField, type ItemList } from './describe-items.ts'
import { prefixes } from './tags.ts'
import type { ValueNames } from './value-names.ts'

/** What the words depend on: the language, and the projects whose names the user sees. */
export interface ChangeWords {
  readonly messages: Messages
  readonly format: Pick<Format, 'number' | 'size' | 'span' | 'dateTime'>
  readonly names: ValueNames
  readonly projectName: (id: string) => string
}

type Changes = ServerChange['changes']

type TextKey<Texts> = {
  [Key in keyof Texts]: Texts[Key] extends string ? Key : never
}[keyof Texts]

/** The labels of fields, which are those of the server page. */
const labels: Readonly<Record<string, TextKey<Messages['server']>>> = {
  account: 'account',
  admin_security_rules: 'rules',
  attach_time: 'attached',
  auto_renew: 'autoRenew',
  backup_host_name: 'backupHost',
  billing_cycle: 'billingCycle',
  billing_type: 'billingType',
  bios: 'firmware',
  boot_order: 'bootOrder',
  brand: 'brand',
  cdrom: 'cdrom',
  cloud_env: 'environment',
  created_at: 'created',
  description: 'description',
  disable_delete: 'deleteProtection',
  disk: 'disk',
  domain_id: 'domain',
  eip: 'publicAddress',
  eip_mode: 'publicAddress',
  environment: 'environment',
  expired_at: 'expires',
  external_id: 'externalId',
  host: 'host',
  host_service_status: 'sourceAnswers',
  host_sn: 'hostSerial',
  host_status: 'hostStatus',
  hypervisor: 'hypervisor',
  image: 'image',
  instance_type: 'instanceType',
  ips: 'addresses',
  is_emulated: 'emulated',
  is_gpu: 'gpu',
  keypair: 'keypair',
  machine: 'machine',
  manager: 'manager',
  name: 'name',
  networks: 'interfaces',
  os_name: 'os',
  project: 'project',
  project_domain: 'domain',
  project_id: 'project',
  project_src: 'assigned',
  provider: 'provider',
  region: 'region',
  scaling_group_id: 'scalingGroup',
  security_rules: 'rules',
  shutdown_behavior: 'shutdown',
  status: 'status',
  'sys:source_status': 'sourceStatus',
  vcpu_count: 'vcpu',
  vdi: 'graphics',
  vga: 'graphics',
  virtual_ips: 'sharedAddresses',
  vmem_size: 'memory',
  vpc: 'vpc',
  zone: 'zone',
}

/** Fields with labels that the server page does not have. */
const otherLabels: Readonly<Record<string, keyof Messages['changes']['fields']>> = {
  auto_delete_at: 'deletion',
  backup_host_status: 'backupHostStatus',
  can_recycle: 'recyclable',
  cdrom_support: 'cdromSupport',
  deleted: 'deleted',
  deleted_at: 'deletedAt',
  host_type: 'hostType',
  is_prepaid_recycle: 'recycled',
  is_system: 'system',
  os_type: 'osType',
  pending_deleted: 'inBin',
  scaling_status: 'scalingStatus',
  src_ip_check: 'ipCheck',
  src_mac_check: 'macCheck',
}

/** Identifiers of what another field names. They tell nothing more if that field changes too. */
const namedBy: Readonly<Record<string, string>> = {
  account_id: 'account',
  admin_secgrp_id: 'admin_security_rules',
  backup_host_id: 'backup_host_name',
  cloudregion_id: 'region',
  domain_id: 'project_id',
  flavor_id: 'instance_type',
  flavor_uuid: 'instance_type',
  deleted_at: 'deleted',
  host_id: 'host',
  image_id: 'image',
  keypair_id: 'keypair',
  manager_domain_id: 'manager',
  manager_id: 'manager',
  manager_project_id: 'manager',
  networks: 'nics',
  pending_deleted_at: 'pending_deleted',
  project_id: 'project',
  region_ext_id: 'region',
  vpc_id: 'vpc',
  zone_ext_id: 'zone',
  zone_id: 'zone',
}

/** Whether a field has a label of its own, unlike identifiers, versions and repetitions of other fields. */
export const hasLabel = (field: string): boolean =>
  field in labels ||
  field in otherLabels ||
  ['secgroups', 'isolated_devices'].includes(field) ||
  field.startsWith(prefixes.own) ||
  field.startsWith(prefixes.source)

/** Whether a field only identifies what another one of these fields names. */
export const isIdentifierOf = (field: string, fields: ReadonlySet<string>): boolean =>
  fields.has(namedBy[field] ?? '')

const sizes: ReadonlySet<string> = new Set(['disk', 'vmem_size'])
const lists: ReadonlySet<string> = new Set(['security_rules', 'admin_security_rules'])
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

/** The name of a group or a device, which are in lists. */
const nameOf = (item: unknown): string => {
  const { name, ip_addr, model, id } = item as Partial<
    Readonly<Record<'name' | 'ip_addr' | 'model' | 'id', string>>
  >
  return name || ip_addr || model || id || ''
}

/** With values in `words`. */
const worded: ReadonlySet<string> = new Set([
  'billing_type',
  'cloud_env',
  'environment',
  'shutdown_behavior',
])

const days: Readonly<Record<string, number>> = { H: 1 / 24, D: 1, W: 7, M: 30, Y: 365 }

/** "3 months" for `3M`. */
export function describeCycle(cycle: string, { span }: Pick<Format, 'span'>): string {
  const [, count, unit = ''] = /^(\d+)([HDWMY])$/i.exec(cycle) ?? []
  const length = days[unit.toUpperCase()]
  return length === undefined ? cycle : span(Number(count) * length * 86_400)
}

/** "disk, network" for `cn`. */
export const describeBootOrder = (order: string, { server, problems }: Messages): string =>
  [...order].map((device) => server.bootDevices[device] ?? device).join(problems.list)

/** The value of a field as text; undefined if there is none. */
export function describeValue(
  field: string,
  value: unknown,
  { messages, format, names, projectName }: ChangeWords,
): string | undefined {
  const { server, common } = messages
  if (isNothing(value)) return undefined
  // Sources report 0 for a size that they do not know.
  if (value === 0 && (sizes.has(field) || field === 'vcpu_count')) return undefined
  if (typeof value === 'number') {
    return sizes.has(field) ? format.size(value) : format.number(value)
  }
  if (typeof value === 'boolean') return value ? common.yes : common.no
  if (Array.isArray(value)) return value.map(nameOf).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field === 'project_id') return projectName(value)
  if (field === 'project_src') return server.assignedBy[value] ?? value
  if (field === 'disks_info.disk_type') return server.diskTypes[value] ?? value
  if (field === 'eip_mode') return server.publicAddressKind[value] ?? value
  if (field === 'host_service_status') return server.answering[value] ?? value
  if (field === 'billing_cycle') return describeCycle(value, format)
  if (field === 'boot_order') return describeBootOrder(value, messages)
  if (worded.has(field)) return server.words[value] ?? value
  if (field.endsWith('host_status')) return names.name('status', value)
  if (timestamp.test(value) && !field.includes(':')) return format.dateTime(value)
  return names.name(field, value)
}

export function labelOf(field: string, { server, changes: t }: Messages): string {
  const tag = (prefix: string) => (field.startsWith(prefix) ? field.slice(prefix.length) : '')
  const known = labels[field]
  const other = otherLabels[field]
  const name = namedBy[field]
  if (known !== undefined) return server[known]
  if (other !== undefined) return t.fields[other]
  if (name !== undefined) return t.idOf(labelOf(name, { server, changes: t } as Messages))
  if (field === 'secgroups') return server.tabs.security
  if (field === 'isolated_devices') return server.tabs.devices
  if (tag(prefixes.own) !== '') return t.tag(tag(prefixes.own))
  if (tag(prefixes.source) !== '') return t.sourceTag(tag(prefixes.source))
  if (tag(prefixes.notes) !== '') return t.note(tag(prefixes.notes))
  return field.replaceAll('_', ' ')
}

/** Only the parts of a list that differ: `in:allow tcp 22; in:allow tcp 443`. */
function differingParts(value: unknown, other: unknown): string | undefined {
  const partsOf = (text: unknown) =>
    typeof text === 'string' ? text.split(';').map((part) => part.trim()) : []
  const others = new Set(partsOf(other))
  const parts = partsOf(value).filter((part) => part !== '' && !others.has(part))
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** The items of a field that is a list of disks or network interfaces. */
export function itemList(field: string, messages: Messages): ItemList | undefined {
  const { changes: t, server } = messages
  if (field === 'disks_info') {
    return {
      key: 'index',
      fields: diskFields(messages),
      nameOf: t.oneDisk,
      summary: ['size'],
    }
  }
  if (field === 'nics') {
    const summary = ['ip_addr', 'ip6_addr']
    return { key: 'mac', fields: nicFields(server), nameOf: t.oneInterface, summary }
  }
  return undefined
}

function describeField(
  field: string,
  [before, after]: Changes[string],
  words: ChangeWords,
): readonly FieldChange[] {
  const { changes: t } = words.messages
  const checks = 'check:'
  if (field.startsWith(checks)) {
    const resultOf = (value: unknown) => (isNothing(value) ? t.notViolated : t.violated)
    const label = t.check(checkName(words.messages, field.slice(checks.length)))
    return [{ key: field, label, before: resultOf(before), after: resultOf(after) }]
  }
  const inWords = (name: string, value: unknown) => describeValue(name, value, words)
  const list = itemList(field, words.messages)
  if (list) return describeItems(field, [before, after], list, inWords)
  const label = labelOf(field, words.messages)
  if (lists.has(field)) {
    const [old, fresh] = [differingParts(before, after), differingParts(after, before)]
    return [{ key: field, label, before: old, after: fresh }]
  }
  return [{ key: field, label, before: inWords(field, before), after: inWords(field, after) }]
}

/** The changed fields and tags, in words and units. Those without a value before and after are left out. */
export function describeChanges(changes: Changes, words: ChangeWords): readonly FieldChange[] {
  const changed = new Set(Object.keys(changes))
  return Object.entries(changes)
    .filter(([field]) => !isIdentifierOf(field, changed))
    .flatMap(([field, values]) => describeField(field, values, words))
    .filter(({ before, after }) => before !== after)
}

/** What introduces a server that appears or is gone, besides its name and project. */
const introduction = ['status', 'ips', 'instance_type', 'host', 'account'] as const

/** A server that appears or is gone: "Running · 10.4.2.17 · t3.large · aws-main". */
export function introduce(changes: Changes, words: ChangeWords): string {
  return introduction
    .map((field) => {
      const [before, after] = changes[field] ?? []
      return describeValue(field, after, words) ?? describeValue(field, before, words)
    })
    .filter((text) => text !== undefined)
    .join(' · ')
}

const diskFields = ({ server, infrastructure }: Messages): readonly ItemField[] => [
  { name: 'size', label: server.size, isSize: true },
  { name: 'disk_type', label: server.diskType },
  { name: 'disk_format', label: server.format },
  { name: 'storage_type', label: server.storage },
  { name: 'medium_type', label: server.medium },
  { name: 'driver', label: server.driver },
  { name: 'cache_mode', label: server.cache },
  { name: 'aio_mode', label: infrastructure.fields['aio_mode'] ?? '' },
  { name: 'fs', label: server.fileSystem },
  { name: 'iops', label: server.iops },
  { name: 'bps', label: server.throughput },
  { name: 'image', label: server.image },
  { name: 'name', label: server.name },
]

const nicFields = (server: Messages['server']): readonly ItemField[] => [
  { name: 'ip_addr', label: server.ipv4 },
  { name: 'ip6_addr', label: server.ipv6 },
  { name: 'network_id', label: server.network },
  { name: 'vpc_id', label: server.vpc },
  { name: 'team_with', label: server.bondedWith },
  { name: 'is_exit', label: server.exit },
]
