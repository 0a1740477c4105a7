/** A list of what servers refer to, and how to go on without end. */
export interface LookupListing {
  readonly head: string
  readonly tail: string
  readonly element: string
  readonly nest: string
  /** An item of which every text is new. */
  item(number: number): string
  /** An item with as many parts as fit into a response. */
  readonly wide: string
  /** The end of a page that is not the last one. Absent if there are no pages. */
  readonly more?: (number: number) => string
}

/** What a back end does where it should list what servers refer to. */
export const lookupAttacks = [
  'endless body',
  'endless elements',
  'deep nesting',
  'million elements',
  'endless pages',
  'a wide item',
] as const
export type LookupAttack = (typeof lookupAttacks)[number]

const itemsInPage = 500
let items = 0

/** The response of an attack that has an end; undefined for others. */
export function lookupBody(attack: string, listing: LookupListing): string | undefined {
  const { head, tail, element, item, wide, more } = listing
  if (attack === 'a wide item') return head + wide + tail
  if (attack !== 'endless pages') return undefined
  const page = Array.from({ length: itemsInPage }, () => {
    items += 1
    return item(items)
  })
  return head + page.join(element.startsWith('<') ? '' : ',') + (more?.(items) ?? tail)
}

/** Texts that no other item has. */
const unique = (number: number) => `${number}-`.padEnd(60, 'x')
const repeatPart = (part: string, separator: string) =>
  Array.from({ length: 60_000 }, () => part).join(separator)

export const incusNetworks: LookupListing = {
  head: '{"type":"sync","metadata":[',
  tail: ']}',
  element: '{},',
  nest: '[',
  item: (number) => JSON.stringify({ name: unique(number), managed: true, config: {} }),
  wide: `{"name":"n","managed":true,"config":{${repeatPart('"a":"b"', ',')}}}`,
}

function novaListing(name: string): LookupListing {
  const row = (number: number, parts: number) => {
    const own = unique(number)
    const some = <Part>(part: Part) => Array.from({ length: parts }, () => part)
    return JSON.stringify({
      id: own,
      name: own,
      device_id: own,
      network_id: own,
      mac_address: own,
      port_id: own,
      cidr: own,
      floating_ip_address: own,
      status: own,
      hypervisor_hostname: own,
      cpu_info: own,
      fixed_ips: some({ subnet_id: own, ip_address: own }),
      security_groups: some(own),
      security_group_rules: some({ protocol: own, remote_ip_prefix: own }),
      attachments: some({ server_id: own, device: own }),
      volume_image_metadata: { name: own, os_distro: own },
    })
  }
  return {
    head: `{"${name}":[`,
    tail: ']}',
    element: '{},',
    nest: '[',
    item: (number) => row(number, 3),
    wide: row(1, 8_000),
    more: () => `],"${name}_links":[{"rel":"next"}],"next":"more"}`,
  }
}

export const novaLookups: Readonly<Record<string, LookupListing>> = Object.fromEntries(
  [
    'networks',
    'subnets',
    'ports',
    'floatingips',
    'security_groups',
    'volumes',
    'images',
    'hypervisors',
  ].map((name) => [name, novaListing(name)]),
)

/** Port groups of a host of a vCenter. */
export const portGroups = (count: number): string =>
  Array.from({ length: count }, () => {
    items += 1
    return `<HostPortGroup><spec><name>${unique(items)}</name><vlanId>1</vlanId></spec></HostPortGroup>`
  }).join('')

function ec2Listing(action: string, set: string, id: string): LookupListing {
  const end = `</${set}>`
  const tag = (number: number) =>
    `<item><key>${unique(number)}</key><value>${unique(number)}</value></item>`
  const item = (number: number, tags: string) =>
    `<item><${id}>${unique(number)}</${id}><tagSet>${tags}</tagSet></item>`
  return {
    head: `<${action}Response><${set}>`,
    tail: `${end}</${action}Response>`,
    element: '<item/>',
    nest: '<item>',
    item: (number) => item(number, tag(number).repeat(3)),
    wide: item(1, repeatPart('<item><key>k</key><value>v</value></item>', '')),
    more: (number) => `${end}<nextToken>${number}</nextToken></${action}Response>`,
  }
}

export const ec2Lookups: Readonly<Record<string, LookupListing>> = {
  DescribeSubnets: ec2Listing('DescribeSubnets', 'subnetSet', 'subnetId'),
  DescribeVpcs: ec2Listing('DescribeVpcs', 'vpcSet', 'vpcId'),
  DescribeAvailabilityZones: ec2Listing(
    'DescribeAvailabilityZones',
    'availabilityZoneInfo',
    'zoneName',
  ),
  DescribeInstanceTypes: ec2Listing('DescribeInstanceTypes', 'instanceTypeSet', 'instanceType'),
}
