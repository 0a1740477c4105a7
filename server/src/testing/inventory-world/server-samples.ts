import type { Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { sampleWords } from '../identity-world/random-organisation.ts'

/** A whole number from 0 up to this one. */
export type Draw = (most: number) => number

/** A seeded random generator with a long period (mulberry32). */
export function createNumbers(seed: number): Draw {
  let state = seed
  return (most) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % (most + 1)
  }
}

type Nics = Server['nics']
type Disks = Server['disks_info']
type Devices = Server['isolated_devices']

/** Few values, so that there are ties, and values that sort, fold or match in special ways. */
const statuses = ['running', 'ready', 'suspend', 'unknown', 'deploy_fail', 'start_deploy', 'init']
const providers = ['OneCloud', 'Aws', 'VMware', 'OpenStack', 'Азур']
const moments = [
  '2026-01-02T03:04:05.000000Z',
  '2026-01-02T03:04:05.000001Z',
  '2026-01-02T00:00:00.000000Z',
  '2025-12-31T23:59:59.999999Z',
  '2024-02-29T12:00:00.500000Z',
  '2019-07-01T00:00:00.120000Z',
  '1999-01-01T00:00:00.000000Z',
]
const endings = ['', '-1', '-01', '.example.org', '_7', '%', '/x', ' two words', '\\', "'s"]
const greek = ['ΟΔΟΣΑΣ', 'οδός', 'ΣΊΣΥΦΟΣ', 'ǅungla', 'ẞ']
const names: readonly string[] = [...sampleWords, ...greek, 'web', 'Web', 'WEB', 'db']
const descriptions = [
  '',
  'the web front, two of them',
  '100% of _all_ disks',
  'back\\slash "quoted" o\'hara',
  'ΟΔΟΣΑ στη σειρά',
  'line one\nline two',
  'İSTANBUL ofisi',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '漢字 と カナ',
]
/**
 * Ids and names of regions and zones: two with one name, one with two names, one whose name is another's id.
 */
const places = [
  ['z1', 'Zone A'],
  ['z2', 'Zone B'],
  ['z3', 'Zone A'],
  ['z1', 'Zone A (old)'],
  ['z4', 'z1'],
  ['', ''],
  ['', 'nowhere'],
  ['ζ', 'Ζώνη'],
] as const
const addresses4 = ['10.4.0.1', '10.4.0.2', '10.4.255.255', '10.5.0.1', '192.168.1.20', '0.0.0.0']
const addresses6 = ['fd00::1', 'FD00::A', '2001:db8:0:1::42', '::ffff:10.4.0.7', 'fe80::1', '::']
const publics = ['', '', '', '203.0.113.9', '10.4.7.7', '2001:db8::9', 'not an address']
export const sampleTagKeys = [
  'env',
  'Env',
  'Name',
  'team',
  'ключ',
  'a b',
  'user:env',
  'cost-center',
]
export const sampleTagValues = ['prod', 'PROD', 'test', '', '100%', 'a=b', "o'hara", 'Ämter', 'x_y']
const sizes = [0, 512, 1024, 2048, 8192, 65_536, 2 ** 40]

const hex = (draw: Draw, length: number) =>
  Array.from({ length }, () => draw(15).toString(16)).join('')

const drawId = (draw: Draw) =>
  `${hex(draw, 8)}-${hex(draw, 4)}-4${hex(draw, 3)}-a${hex(draw, 3)}-${hex(draw, 12)}`

/** Makes servers as a source might report them: all different, with many equal values. */
export function createServerSamples(draw: Draw, projectIds: readonly string[]) {
  const pick = <Value>(values: readonly Value[]): Value => values[draw(values.length - 1)] as Value
  const flag = () => draw(3) === 0
  const sometimes = <Value>(value: () => Value, otherwise: Value) =>
    draw(2) === 0 ? value() : otherwise
  const moment = () => sometimes((): string | null => pick(moments), null)
  const several = <Value>(most: number, make: (at: number) => Value): Value[] =>
    Array.from({ length: draw(most) }, (_, at) => make(at))

  const nics = (): Nics =>
    several(3, () => ({
      ip_addr: sometimes(() => pick(addresses4), ''),
      ip6_addr: sometimes(() => pick(addresses6), ''),
      mac: `00:16:3E:0${draw(3)}:ab:cd`,
      network_id: pick(['n1', 'n2', '']),
      team_with: '',
      vpc_id: pick(['v1', '']),
      is_exit: flag(),
    }))

  const disks = (): Disks =>
    several(3, (index) => ({
      aio_mode: 'native',
      cache_mode: pick(['none', 'writeback']),
      disk_format: pick(['qcow2', 'raw']),
      disk_type: index === 0 ? 'sys' : 'data',
      driver: 'virtio',
      fs: pick(['', 'ext4']),
      id: drawId(draw),
      image: pick(['', 'Debian']),
      image_id: '',
      medium_type: 'ssd',
      name: `disk${index}`,
      storage_type: 'local',
      bps: 0,
      index,
      iops: 0,
      size: pick([1024, 10_240, 30_720]),
    }))

  const devices = (): Devices =>
    several(1, () => ({
      addr: '01:00.0',
      description: '',
      dev_type: pick(['GPU', 'PCI']),
      guest_id: '',
      host_id: '',
      id: drawId(draw),
      model: 'Tesla',
      name: 'dev',
      vendor_device_id: '10de:1db6',
      created_at: null,
      deleted_at: null,
      updated_at: null,
      deleted: false,
      is_emulated: false,
      reserved_cpu: 0,
      reserved_memory: 0,
      reserved_storage: 0,
      update_version: 0,
    }))

  const tags = (most: number): Record<string, string> =>
    Object.fromEntries(several(most, () => [pick(sampleTagKeys), pick(sampleTagValues)]))

  const whereabouts = () => {
    const [[zone_id, zone], [cloudregion_id, region], [host_id, host]] = [
      pick(places),
      pick(places),
      pick(places),
    ]
    const [[account_id, account], [manager_id, manager]] = [pick(places), pick(places)]
    const [within, by] = [
      { zone_id, zone, cloudregion_id, region, host_id, host },
      { account_id, account, manager_id, manager },
    ]
    return {
      ...within,
      ...by,
      region_ext_id: pick(['', 'eu-1', 'EU-1']),
      zone_ext_id: pick(['', 'eu-1a']),
      manager_project_id: sometimes(() => pick(projectIds), ''),
    }
  }

  const kinds = () => ({
    status: pick(statuses),
    provider: pick(providers),
    brand: pick(['', '', 'Renamed', 'aws']),
    hypervisor: pick(['kvm', 'KVM', 'esxi', 'aws', '']),
    os_type: pick(['Linux', 'Windows', 'VMware', '']),
    os_name: pick(['', 'Debian 13', 'débian', 'Windows Server 2025']),
    instance_type: pick(['', 'm5.large', 'M5.Large', 't3.micro', 'eins-zwei']),
    billing_type: pick(['postpaid', 'prepaid']),
    billing_cycle: pick(['', '1M', '1Y']),
    cloud_env: pick(['public', 'private', 'onpremise']),
    host_type: pick(['hypervisor', 'baremetal', '']),
    host_service_status: pick(['online', 'offline']),
    boot_order: pick(['cdn', 'dcn']),
    shutdown_behavior: pick(['stop', 'terminate']),
  })

  const flags = () => ({
    auto_renew: flag(),
    can_recycle: flag(),
    cdrom_support: flag(),
    disable_delete: flag(),
    is_emulated: flag(),
    is_gpu: flag(),
    is_prepaid_recycle: flag(),
    is_system: flag(),
    src_ip_check: flag(),
    src_mac_check: flag(),
  })

  const bin = () => {
    const pending_deleted = draw(7) === 0
    return {
      pending_deleted,
      pending_deleted_at: pending_deleted ? pick(moments) : null,
      auto_delete_at: pending_deleted ? pick(moments) : null,
    }
  }

  return {
    tags,
    /** The facts of a new server, or the changed facts of the server with this id. */
    facts: (id = drawId(draw)): ServerFacts => ({
      id,
      name: pick(names) + sometimes(() => pick(endings), ''),
      project_id: pick(projectIds),
      created_at: pick(moments),
      description: pick(descriptions),
      ...kinds(),
      ...whereabouts(),
      ...flags(),
      ...bin(),
      attach_time: moment(),
      expired_at: moment(),
      ...(flag() && { updated_at: pick(moments) }),
      vcpu_count: pick([0, 1, 2, 2, 4, 8, 64]),
      vmem_size: pick(sizes),
      disks_info: disks(),
      nics: nics(),
      isolated_devices: devices(),
      secgroups: several(2, (at) => ({ id: `sg${at}`, name: pick(['Default', 'web', 'ψ']) })),
      external_id: sometimes(() => `i-${hex(draw, 8)}`, ''),
      eip: pick(publics),
      eip_mode: pick(['', 'public_ip', 'elastic_ip']),
      virtual_ips: pick(['', '10.4.0.100']),
      vpc: pick(['', 'Main', 'v1']),
      vpc_id: pick(['', 'v1', 'v2']),
      networks: pick(['', 'eth0:10.4.0.1/16/00:16:3e:00/lan']),
      keypair: pick(['', 'ada']),
      ...(flag() && { adminGroup: { id: 'ag', rules: 'in:deny any' } }),
      tags: tags(3),
      notes: sometimes(
        (): Record<string, string> => ({ source_status: pick(['RUNNING', 'odd']) }),
        {},
      ),
    }),
  }
}
