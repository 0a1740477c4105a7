/** The properties of a cloud that its servers show. */
export interface Cloud {
  readonly provider: string
  readonly hypervisor: string
  readonly cloud_env: 'onpremise' | 'private' | 'public'
  readonly environment: string
  readonly host_type: string
  readonly accounts: readonly Account[]
  readonly sizes: readonly Size[]
  readonly gpuSizes: readonly Size[]
  readonly disks: DiskHabits
  readonly firmware: readonly Firmware[]
  /** The prefix of its MAC addresses, such as `52:54:00`. */
  readonly macPrefix: string
  /** The prefix of hosts' serial numbers; absent if hosts are hidden. */
  readonly serial?: string
  readonly hasVpcs: boolean
}

interface Account {
  readonly name: string
  readonly regions: readonly Region[]
}

export interface Region {
  readonly name: string
  readonly extId: string
  readonly zones: readonly Zone[]
}

export interface Zone {
  readonly name: string
  readonly extId: string
}

export interface Size {
  readonly name: string
  readonly cores: number
  /** In MB. */
  readonly memory: number
}

interface DiskHabits {
  readonly formats: readonly string[]
  readonly drivers: readonly string[]
  readonly cache: string
  readonly aio: string
  readonly storages: readonly Storage[]
}

export interface Storage {
  readonly type: string
  readonly medium: 'ssd' | 'rotate' | 'hybrid'
  /** The IO limit of a disk; 0 for none. */
  readonly iops: number
  readonly bps: number
}

interface Firmware {
  readonly bios: string
  readonly machine: string
  readonly vga: string
  readonly vdi: string
}

/** Parses `t3.micro 2 1, t3.small 2 2`: name, cores, GiB. */
export const sizes = (text: string): readonly Size[] =>
  text.split(', ').map((line) => {
    const [name = '', cores, gibibytes] = line.split(' ')
    return { name, cores: Number(cores), memory: Number(gibibytes) * 1_024 }
  })

/** Parses a region with its zone letters, such as `eu-central-1 a b c`. */
export function region(name: string, extId: string, zones: string, between = ''): Region {
  return {
    name,
    extId,
    zones: zones.split(' ').map((zone) => {
      const id = between === '=' ? zone : [extId, zone].join(between)
      return { name: id, extId: id }
    }),
  }
}

export const storage = (
  type: string,
  medium: Storage['medium'],
  iops = 0,
  megabytes = 0,
): Storage => ({ type, medium, iops, bps: megabytes * 1_048_576 })

/** Parses `BIOS pc std vnc, UEFI q35 qxl spice`: firmware, machine, graphics card, remote desktop. */
export const firmware = (text: string): readonly Firmware[] =>
  text.split(', ').map((line) => {
    const [bios = '', machine = '', vga = '', vdi = ''] = line.split(' ')
    return { bios, machine, vga, vdi }
  })

/** Parses the formats and drivers of disks, separated by spaces. */
export const disks = (
  formats: string,
  drivers: string,
  storages: readonly Storage[],
  { cache = 'none', aio = 'native' } = {},
): DiskHabits => ({
  formats: formats.split(' '),
  drivers: drivers.split(' '),
  cache,
  aio,
  storages,
})
