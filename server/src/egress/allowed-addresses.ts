import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

/** Says whether Muster may speak to an address; of a host name: whether it may, wherever it leads. */
export type AddressRule = (addressOrName: string) => boolean

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** All of IPv6 that has been given out so far. What embeds an IPv4 address elsewhere is outside. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** What the operator names, and nothing else: addresses, networks, and hosts by name. */
function createListedRule(allowed: readonly string[]): AddressRule {
  const isAddress = (entry: string) => isIP(entry) !== 0
  const isNetwork = (entry: string) => entry.includes('/')
  const addresses = new Set(allowed.filter(isAddress).map((entry) => read(entry).toString()))
  const networks = allowed.filter(isNetwork).map((entry) => ipaddr.parseCIDR(entry))
  const names = new Set(
    allowed.filter((entry) => !isAddress(entry) && !isNetwork(entry)).map(hostKey),
  )

  return (addressOrName) => {
    // Other spellings of an address, such as 0x7f.1, are none here: no resolver gives them.
    if (!isAddress(addressOrName)) return names.has(hostKey(addressOrName))
    const address = read(addressOrName)
    return (
      addresses.has(address.toString()) || networks.some((network) => isWithin(address, network))
    )
  }
}

/**
 * The open internet is allowed, and what the operator names. Everything near Muster (its machine, its
 * network, a cloud's metadata) is not by itself.
 */
export function createAddressRule(allowed: readonly string[]): AddressRule {
  const isListed = createListedRule(allowed)
  return (addressOrName) =>
    isListed(addressOrName) || (isIP(addressOrName) !== 0 && isGlobal(read(addressOrName)))
}

/** Where clouds tell their machines who they are, and hand out keys, outside what is link-local. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** Where only other machines are, though not everybody's. */
const privateRanges: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat'])

/**
 * Which addresses an account may point to. Hypervisors live on private networks more often than not;
 * this machine itself, its link and a cloud's metadata service have to be named.
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

/** An IPv4 address in IPv6's clothes (::ffff:127.0.0.1) is what it is underneath. */
const read = (address: string): Address => ipaddr.process(address)

function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isWithin(address, globalIPv6)
}

const isWithin = (address: Address, network: [Address, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network)

/** The host that an address leads to, without the brackets around IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** One key for all spellings of a host's name. */
function hostKey(name: string): string {
  const ascii = domainToASCII(name)
  return (ascii === '' ? name : ascii).replace(/\.$/, '')
}
