import type { Instance, IpPermission, SecurityGroup } from '@aws-sdk/client-ec2'
import type { SecurityGroup as Group } from '@muster/contract'
import { joinSecurityRules, writeSecurityRule } from '../../domain/sources/security-rules.ts'
import type { RegionLookups } from './region-lookups.ts'

/** Protocols that EC2 reports by number. */
const protocols: ReadonlyMap<string, string> = new Map([
  ['-1', 'any'],
  ['1', 'icmp'],
  ['2', 'igmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['50', 'esp'],
  ['51', 'ah'],
  ['58', 'icmpv6'],
  ['132', 'sctp'],
  ['136', 'udplite'],
])

/** The groups of the instance, then those of its network interfaces. */
export function securityOf(
  instance: Instance,
  lookups: RegionLookups,
): { secgroups: Group[]; security_rules: string } {
  const { SecurityGroups = [], NetworkInterfaces = [] } = instance
  const names = new Map<string, string>()
  const others = NetworkInterfaces.flatMap(({ Groups = [] }) => Groups)
  for (const list of [SecurityGroups, others]) {
    const sorted = list
      .map(({ GroupId = '', GroupName = '' }) => [GroupId, GroupName] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [id, name] of sorted) if (!names.has(id)) names.set(id, name)
  }
  const groups = [...names].map(([id, name]) => ({
    id,
    name: lookups.groups.get(id)?.GroupName ?? name,
  }))
  const rules = groups.flatMap(({ id }) => rulesOf(lookups.groups.get(id)))
  return { secgroups: groups, security_rules: joinSecurityRules(rules) }
}

const rulesOf = ({
  IpPermissions = [],
  IpPermissionsEgress = [],
}: SecurityGroup = {}): string[] => [
  ...IpPermissions.flatMap((permission) => describeRules('in', permission)).sort(),
  ...IpPermissionsEgress.flatMap((permission) => describeRules('out', permission)).sort(),
]

/** One rule for each peer of a permission. */
function describeRules(direction: 'in' | 'out', permission: IpPermission): string[] {
  const peers = [
    ...(permission.IpRanges ?? []).map(({ CidrIp }) => CidrIp),
    ...(permission.Ipv6Ranges ?? []).map(({ CidrIpv6 }) => CidrIpv6),
    ...(permission.PrefixListIds ?? []).map(({ PrefixListId }) => PrefixListId),
    ...(permission.UserIdGroupPairs ?? []).map(({ GroupId }) => GroupId),
  ]
  const protocol = protocolOf(permission)
  const ports = portsOf(permission)
  return peers.map((peer = '') =>
    writeSecurityRule({ direction, verdict: 'allow', protocol, ...(ports && { ports }), peer }),
  )
}

const protocolOf = ({ IpProtocol = '-1' }: IpPermission) => protocols.get(IpProtocol) ?? IpProtocol

function portsOf(permission: IpPermission) {
  const { FromPort: from = -1, ToPort: to = -1 } = permission
  if (from < 0) return undefined
  // For ICMP these are type and code.
  return protocolOf(permission).startsWith('icmp') ? { from, to: from } : { from, to }
}
