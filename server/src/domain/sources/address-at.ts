import ipaddr from 'ipaddr.js'

/**
 * An address of an IPv4 network in CIDR notation: 0 is its first one, -1 its last one. Undefined if
 * the text is not such a network.
 */
export function addressAt(network: string, position: number): string | undefined {
  if (!ipaddr.IPv4.isValidCIDR(network)) return undefined
  const end =
    position < 0
      ? ipaddr.IPv4.broadcastAddressFromCIDR(network)
      : ipaddr.IPv4.networkAddressFromCIDR(network)
  const number = end.toByteArray().reduce((bits, byte) => bits * 256 + byte, 0)
  const wanted = number + (position < 0 ? position + 1 : position)
  return [24, 16, 8, 0].map((shift) => (wanted >>> shift) & 0xff).join('.')
}
