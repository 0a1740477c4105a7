import type { Instance, IpPermission, SecurityGroup } from '@aws-sdk/client-ec2'
import type { SecurityGroup as Group } from '@muster/contract'
import type { RegionBook } from './region-book.ts'

/** Protocols that EC2 tells by number. */
const protocols: ReadonlyMap<string, string> = new Map([
  ['-1', 'any'],
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['58', 'icmpv6'],
])

/** The groups of all its network cards, those of the instance itself first. */
export function securityOf(
  instance: Instance,
  book: RegionBook,
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
    name: book.groups.get(id)?.GroupName ?? name,
  }))
  const rules = groups.flatMap(({ id }) => rulesOf(book.groups.get(id)))
  return { secgroups: groups, security_rules: [...new Set(rules)].join(';') }
}

const rulesOf = ({
  IpPermissions = [],
  IpPermissionsEgress = [],
}: SecurityGroup = {}): string[] => [
  ...IpPermissions.flatMap((permission) => describeRule('in', permission)).sort(),
  ...IpPermissionsEgress.flatMap((permission) => describeRule('out', permission)).sort(),
]

/** One rule for each of those whom a permission names. Whom it lets through, everybody, is left out. */
function describeRule(direction: string, permission: IpPermission): string[] {
  const what = [protocolOf(permission), portsOf(permission)].filter((word) => word !== '').join(' ')
  const whom = [
    ...(permission.IpRanges ?? []).map(({ CidrIp }) => CidrIp),
    ...(permission.Ipv6Ranges ?? []).map(({ CidrIpv6 }) => CidrIpv6),
    ...(permission.PrefixListIds ?? []).map(({ PrefixListId }) => PrefixListId),
    ...(permission.UserIdGroupPairs ?? []).map(({ GroupId }) => GroupId),
  ]
  return whom.map((other = '') =>
    ['0.0.0.0/0', ''].includes(other)
      ? `${direction}:allow ${what}`
      : `${direction}:allow ${what} ${other}`,
  )
}

const protocolOf = ({ IpProtocol = '-1' }: IpPermission) => protocols.get(IpProtocol) ?? IpProtocol

function portsOf(permission: IpPermission): string {
  const { FromPort = -1, ToPort = -1 } = permission
  // Of ICMP they are type and code.
  if (protocolOf(permission).startsWith('icmp')) return FromPort < 0 ? '' : String(FromPort)
  if (FromPort < 0 || (FromPort === 0 && ToPort === 65_535)) return ''
  return FromPort === ToPort ? String(FromPort) : `${FromPort}-${ToPort}`
}
