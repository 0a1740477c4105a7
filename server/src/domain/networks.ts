import ipaddr from 'ipaddr.js'
import { badField } from './error.ts'

export type Network = readonly [first: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** An address with or without a length. Not all that the library reads: it also knows octal and short forms. */
const networkPattern = /^([\da-fA-F:.]+)(?:\/(\d{1,3}))?$/

/** A network as it is stored: `10.0.0.7` is `10.0.0.7/32`. */
function normalizeNetwork(text: string, field: string): string {
  const invalid = badField(
    field,
    'must be an address or a network, such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32',
  )
  const [, address = '', length] = networkPattern.exec(text) ?? []
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) throw invalid
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    throw badField(field, 'must be written as an IPv4 network')
  }
  const bits = parsed.toByteArray().length * 8
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) throw invalid
  const family = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  const network = `${family.networkAddressFromCIDR(`${address}/${prefix}`).toString()}/${prefix}`
  if (network !== `${parsed.toString()}/${prefix}`) {
    throw badField(field, `has bits after the prefix. Did you mean ${network}?`)
  }
  return network
}

/** Checks the networks of a request, and writes each in one way. Throws a 400 that names the wrong one. */
export const normalizeNetworks = (texts: readonly string[], path: string): string[] => [
  ...new Set(texts.map((text, index) => normalizeNetwork(text, `${path}.${index}`))),
]

/** Reads networks as they are stored. */
export const readNetworks = (texts: readonly string[]): readonly Network[] =>
  texts.map((text) => ipaddr.parseCIDR(text))

/** Whether a client address, as requests have it, is in one of the networks. */
export function isWithin(networks: readonly Network[], ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return networks.some(
    ([first, bits]) => first.kind() === address.kind() && address.match(first, bits),
  )
}
