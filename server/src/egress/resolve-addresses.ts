import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { AddressRule } from './allowed-addresses.ts'

/** Resolves all addresses of a host. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export const resolveWithSystem: Resolve = (host) => lookup(host, { all: true })

/** Thrown when an address is not allowed. */
export class AddressNotAllowed extends Error {}

/**
 * Resolves a host to allowed addresses. Connect to these without a second lookup, which could
 * return others.
 */
export async function resolveAllowed(
  host: string,
  rule: AddressRule,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  const notAllowed = addresses.find(({ address }) => !rule(address))
  if (notAllowed && !rule(host)) {
    throw new AddressNotAllowed(`The address of ${host} is not allowed`)
  }
  return addresses
}

/** A `lookup` function that returns these addresses. */
export const lookupFrom =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, callback) => {
    const [{ address, family } = { address: '', family: 0 }] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, address, family)
  }
