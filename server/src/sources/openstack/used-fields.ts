import { isObject, type Json } from '../shared/json.ts'
import type { ListBudget } from '../shared/list-budget.ts'

/**
 * The fields of a row that are used. Of a list, those of its elements. Otherwise it is a text, a number or a list of
 * them, and `shared` has the same value in many rows.
 */
type Field = 'own' | 'shared' | Fields
type Fields = { readonly [name: string]: Field }

const image: Fields = {
  name: 'shared',
  image_name: 'shared',
  image_id: 'shared',
  os_distro: 'shared',
  os_version: 'shared',
  os_type: 'shared',
  hw_disk_bus: 'shared',
  hw_firmware_type: 'shared',
  hw_machine_type: 'shared',
  hw_video_model: 'shared',
}

/** By the name of a list. The rest of it is dropped, because lists are long. */
const usedFields = {
  networks: {
    id: 'own',
    name: 'own',
    status: 'shared',
    'router:external': 'shared',
    'provider:network_type': 'shared',
    'provider:segmentation_id': 'shared',
  },
  subnets: {
    id: 'own',
    network_id: 'shared',
    cidr: 'own',
    ip_version: 'shared',
    gateway_ip: 'own',
    allocation_pools: { start: 'own', end: 'own' },
  },
  ports: {
    id: 'own',
    device_id: 'own',
    network_id: 'shared',
    mac_address: 'own',
    port_security_enabled: 'shared',
    security_groups: 'shared',
    fixed_ips: { subnet_id: 'shared', ip_address: 'own' },
  },
  floatingips: { id: 'own', port_id: 'own', floating_ip_address: 'own' },
  security_groups: {
    id: 'own',
    name: 'shared',
    security_group_rules: {
      direction: 'shared',
      ethertype: 'shared',
      protocol: 'shared',
      port_range_min: 'shared',
      port_range_max: 'shared',
      remote_ip_prefix: 'own',
      remote_group_id: 'shared',
    },
  },
  volumes: {
    id: 'own',
    name: 'own',
    size: 'shared',
    volume_type: 'shared',
    attachments: { server_id: 'own', device: 'shared' },
    volume_image_metadata: image,
  },
  images: {
    id: 'own',
    ...image,
    status: 'shared',
    architecture: 'shared',
    disk_format: 'shared',
    size: 'own',
    min_disk: 'shared',
    min_ram: 'shared',
  },
  flavors: {
    id: 'own',
    name: 'shared',
    vcpus: 'shared',
    ram: 'shared',
    disk: 'shared',
    ephemeral: 'shared',
    swap: 'shared',
    extra_specs: { 'pci_passthrough:alias': 'shared', 'resources:VGPU': 'shared' },
  },
  hypervisors: {
    id: 'own',
    hypervisor_hostname: 'own',
    service: { host: 'own' },
    state: 'shared',
    status: 'shared',
    host_ip: 'own',
    vcpus: 'shared',
    cpu_info: { model: 'shared' },
    memory_mb: 'shared',
    hypervisor_version: 'shared',
  },
} as const satisfies Readonly<Record<string, Fields>>
export type ListName = keyof typeof usedFields

function pickValue(value: unknown, field: Field, budget: ListBudget): unknown {
  if (Array.isArray(value)) return value.map((each) => pickValue(each, field, budget))
  if (typeof value === 'string' && field === 'shared') return budget.share(value)
  if (!isObject(value)) return value
  return typeof field === 'string' ? undefined : pickFields(value, field, budget)
}

function pickFields(row: Json, fields: Fields, budget: ListBudget): Json {
  const picked: Record<string, unknown> = {}
  for (const name in fields) {
    if (name in row) picked[name] = pickValue(row[name], fields[name] ?? 'own', budget)
  }
  return picked
}

/** What is held in memory of a row. */
export const pickUsed = (list: ListName, row: Json, budget: ListBudget): Json =>
  pickFields(row, usedFields[list], budget)
