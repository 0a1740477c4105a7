import type { Nic } from '@muster/contract'
import type { ReportedNetwork } from '@muster/server/source-port'
import { below, chance, diceOf, hex16, joined, uuid } from './random-hash.ts'
import type { Site } from './sites.ts'

/** Every network is a /20: enough for 1,000 servers with four addresses each. */
const mask = 20
const hostsInNet = 4_096
const sparedAddresses = 4
/** The addresses before it are the network's own and the gateway's. */
const firstHost = 4
/** The purposes of NICs. */
const kinds = ['lan', 'storage', 'mgmt'] as const

interface Circumstances {
  readonly seed: number
  readonly index: number
  readonly dice: number
  readonly site: Site
  readonly project: number
  /** The index of the server within its project. */
  readonly inProject: number
  /** How often its address changed. */
  readonly version: number
}

/** The network fields of a server. */
export interface Connection {
  readonly nics: readonly ConnectedNic[]
  readonly vpc: string
  readonly vpc_id: string
  readonly eip: string
  readonly eip_mode: string
  readonly virtual_ips: string
}

/** The first address of a network. */
function netOf(kind: number, project: number): readonly [number, number, number] {
  if (kind === 0) return [10, (project >> 4) & 0xff, (project & 0xf) << 4]
  if (kind === 1) return [172, 16 + ((project >> 4) & 0xf), (project & 0xf) << 4]
  return [192, 168, (project & 0xf) << 4]
}

/**
 * Each server has four reserved addresses in each network of its project, so addresses are unique
 * without a table.
 */
const hostPart = (inProject: number, spare: number) =>
  ((inProject * sparedAddresses + (spare % sparedAddresses)) % (hostsInNet - 8)) + firstHost

const ipv4 = ([first, second, third]: readonly [number, number, number], host: number) =>
  [first, second, third + (host >> 8), host & 0xff].join('.')

const hex = (number: number) => number.toString(16)

/** A project has one network of each kind per region, all in one VPC. */
const diceOfNetworks = ({ regionDice }: Site, project: number) =>
  diceOf(regionDice ^ 0x0e7, project)
const networkId = (netDice: number, kind: number) => uuid(netDice, 10 + kind)
const networkName = ({ region_ext_id }: Site, project: number, kind: number) =>
  `${region_ext_id}-${kinds[kind]}-${project + 1}`
const vpcId = ({ cloud }: Site, netDice: number) => (cloud.hasVpcs ? uuid(netDice, 9) : 'default')
const vpcName = ({ cloud, region_ext_id }: Site, project: number) =>
  cloud.hasVpcs ? joined('vpc-', region_ext_id, '-', project + 1) : 'Default'

/** VLANs 0 and 4095 are reserved; those below 100 are left to the hosts. */
const firstVlan = 100
const vlans = 3_995

/** The networks of a project in the region of a site. */
export function networksOf(site: Site, project: number): readonly ReportedNetwork[] {
  const netDice = diceOfNetworks(site, project)
  return kinds.map((_, kind) => {
    const [id, net] = [networkId(netDice, kind), netOf(kind, project)]
    return {
      id,
      name: networkName(site, project, kind),
      status: 'available',
      guest_ip_start: ipv4(net, firstHost),
      guest_ip_end: ipv4(net, hostsInNet - 2),
      guest_ip_mask: mask,
      guest_gateway: ipv4(net, 1),
      vlan_id: site.cloud.hasVpcs ? 0 : firstVlan + ((project * kinds.length + kind) % vlans),
      vpc: vpcName(site, project),
      vpc_id: vpcId(site, netDice),
      provider: site.cloud.provider,
      cloudregion: site.region,
      cloudregion_id: site.cloudregion_id,
      external_id: id,
    }
  })
}

/** A network interface with the name and the mask of its network. */
type ConnectedNic = Nic & { readonly mask: number; readonly network: string }

export function connectionOf(circumstances: Circumstances): Connection {
  const { seed, index, dice, site, project, inProject, version } = circumstances
  const { cloud } = site
  const isPublic = cloud.cloud_env === 'public'
  const luck = below(dice, 60, 20)
  const count = luck < 16 ? 1 : luck < 19 ? 2 : 3
  const hasIpv6 = chance(dice, 61) < 1 / 3
  const netDice = diceOfNetworks(site, project)
  const vpc_id = vpcId(site, netDice)
  const host = hostPart(inProject, version)
  const nics: ConnectedNic[] = []
  for (let number = 0; number < count; number += 1) {
    const ip_addr = ipv4(netOf(number, project), host)
    const mac = macOf(seed, index, number, cloud.macPrefix)
    nics.push({
      ip_addr,
      ip6_addr:
        hasIpv6 && number === 0
          ? ['2001:db8', hex(project & 0xffff), hex(site.number + 1), '', hex(host)].join(':')
          : '',
      mac,
      network_id: networkId(netDice, number),
      vpc_id,
      is_exit: false,
      team_with: '',
      mask,
      network: networkName(site, project, number),
    })
  }
  const isTeamed = count === 2 && !isPublic && luck === 16
  if (isTeamed) team(nics)
  const hasEip = chance(dice, 62) < (isPublic ? 0.25 : 0.05)
  return {
    nics,
    vpc: vpcName(site, project),
    vpc_id,
    eip: hasEip ? publicAddress(seed, index) : '',
    eip_mode: hasEip ? (isPublic && chance(dice, 63) < 0.5 ? 'public_ip' : 'elastic_ip') : '',
    virtual_ips:
      chance(dice, 64) < 0.02 ? ipv4(netOf(0, project), hostPart(inProject, version + 3)) : '',
  }
}

/** Odd, so that multiplication keeps the lower bits distinct. */
const scatter = 0x9e3779b1

/** Unique in the fleet. */
function macOf(seed: number, index: number, number: number, prefix: string): string {
  const bits = Math.imul(index * 4 + number, scatter) ^ seed
  const lower = hex16(bits)
  return [prefix, hex16(bits >>> 16).slice(2), lower.slice(0, 2), lower.slice(2)].join(':')
}

function team(nics: ConnectedNic[]): void {
  const [first, second] = nics
  if (!first || !second) return
  first.team_with = second.mac
  second.team_with = first.mac
}

/** From 198.18.0.0/15, which is reserved for tests. */
function publicAddress(seed: number, index: number): string {
  const bits = Math.imul(index, scatter) ^ seed
  return ipv4([198, 18 + ((bits >>> 16) & 1), 0], bits & 0xffff)
}
