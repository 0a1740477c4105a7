import { addressAt } from '../../domain/sources/address-at.ts'
import type { ReportedNetwork } from '../../domain/sources/reported-resources.ts'

/** A network of fewer addresses has none for servers. */
const longestMask = 30

interface Subnet {
  /** Any address of the network; the default is the gateway. */
  readonly address?: string
  readonly gateway: string
  readonly mask: number
  /** What DHCP leases; empty if it is unknown. */
  readonly start: string
  readonly end: string
}

/** The addresses of an IPv4 network that DHCP leases, otherwise all but the gateway. */
export function guestAddresses(subnet: Subnet): Partial<ReportedNetwork> {
  const { gateway, address = gateway, mask, start, end } = subnet
  const network = mask > 0 && mask <= longestMask ? `${address}/${mask}` : ''
  const firstFree = (...positions: readonly number[]) =>
    positions.map((position) => addressAt(network, position)).find((one) => one !== gateway) ?? ''
  return {
    guest_ip_start: start || firstFree(1, 2),
    guest_ip_end: end || firstFree(-2, -3),
    guest_ip_mask: mask,
    guest_gateway: gateway,
  }
}
