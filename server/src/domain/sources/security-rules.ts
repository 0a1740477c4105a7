import ipaddr from 'ipaddr.js'

export interface SecurityRule {
  readonly direction: 'in' | 'out'
  readonly verdict: 'allow' | 'deny'
  /** Such as `tcp`, or `any`. */
  readonly protocol: string
  /** Ports, or the ICMP type; absent for all. */
  readonly ports?: { readonly from: number; readonly to: number }
  /** The peer: a network, an address, or the id of a group or list; empty for any. */
  readonly peer?: string
}

/** The format of every rule, whatever its source. */
export const securityRuleForm =
  /^(?:in|out):(?:allow|deny) [a-z0-9]+(?: \d{1,5}(?:-\d{1,5})?)?(?: [^\s;]*[.:_-][^\s;]*)?$/

const lastPort = 65_535

function writePorts({ from, to }: { from: number; to: number }): string {
  if (from <= 1 && to === lastPort) return ''
  return from === to ? String(from) : `${from}-${to}`
}

/** Normalises the peer: a network by its first address, a single address without mask, any as empty. */
function writePeer(peer: string): string {
  if (!ipaddr.isValidCIDR(peer)) return ipaddr.isValid(peer) ? ipaddr.parse(peer).toString() : peer
  const [address, bits] = ipaddr.parseCIDR(peer)
  const isIpv4 = address.kind() === 'ipv4'
  if (bits === 0) return isIpv4 ? '' : '::/0'
  if (bits === (isIpv4 ? 32 : 128)) return address.toString()
  const network = isIpv4
    ? ipaddr.IPv4.networkAddressFromCIDR(peer)
    : ipaddr.IPv6.networkAddressFromCIDR(peer)
  return `${network.toString()}/${bits}`
}

/** Formats a rule, such as `in:allow tcp 22 10.0.0.0/8`. */
export function writeSecurityRule({ direction, verdict, protocol, ports, peer }: SecurityRule) {
  const parts = [protocol, ports ? writePorts(ports) : '', writePeer(peer ?? '')]
  return `${direction}:${verdict} ${parts.filter((part) => part !== '').join(' ')}`
}

export const joinSecurityRules = (rules: Iterable<string>): string => [...new Set(rules)].join(';')
