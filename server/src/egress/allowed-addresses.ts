import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

/** Whether an address is allowed, or a host name whatever its addresses. */
export type AddressRule = (addressOrName: string) => boolean

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The IPv6 range assigned so far. It excludes addresses that embed IPv4. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Allows the listed addresses, networks and host names only. */
function createListedRule(allowed: readonly string[]): AddressRule {
  const isAddress = (entry: string) => isIP(entry) !== 0
  const isNetwork = (entry: string) => entry.includes('/')
  const addresses = new Set(allowed.filter(isAddress).map((entry) => read(entry).toString()))
  const networks = allowed.filter(isNetwork).map((entry) => ipaddr.parseCIDR(entry))
  const names = new Set(
    allowed.filter((entry) => !isAddress(entry) && !isNetwork(entry)).map(hostKey),
  )

  return (addressOrName) => {
    // Spellings such as 0x7f.1 count as names: resolvers never return them.
    if (!isAddress(addressOrName)) return names.has(hostKey(addressOrName))
    const address = read(addressOrName)
    return (
      addresses.has(address.toString()) || networks.some((network) => isWithin(address, network))
    )
  }
}

/**
 * Allows public addresses and what the operator lists. Local and private addresses and cloud
 * metadata are not allowed by default.
 */
export function createAddressRule(allowed: readonly string[]): AddressRule {
  const isListed = createListedRule(allowed)
  return (addressOrName) =>
    isListed(addressOrName) || (isIP(addressOrName) !== 0 && isGlobal(read(addressOrName)))
}

/** Metadata services of clouds outside the link-local range. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** Private ranges, which contain other machines only. */
const privateRanges: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat'])

/**
 * The addresses that accounts may use: public and private ones, because hypervisors are often on
 * private networks. Loopback, link-local and metadata addresses must be listed.
 */
export function createSourceAddressRule(allowed: readonly string[]): AddressRule {
  const isListed = createListedRule(allowed)
  return (addressOrName) => {
    if (isListed(addressOrName)) return true
    if (isIP(addressOrName) === 0) return false
    const address = read(addressOrName)
    return (
      (isGlobal(address) || privateRanges.has(address.range())) &&
      !metadataAddresses.has(address.toString())
    )
  }
}

/** Treats an IPv4-mapped address (::ffff:127.0.0.1) as IPv4. */
const read = (address: string): Address => ipaddr.process(address)

function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isWithin(address, globalIPv6)
}

const isWithin = (address: Address, network: [Address, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network)

/** The host of a URL, without brackets around IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Normalises the spelling of a host name. */
function hostKey(name: string): string {
  const ascii = domainToASCII(name)
  return (ascii === '' ? name : ascii).replace(/\.$/, '')
}
