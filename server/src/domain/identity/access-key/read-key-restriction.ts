import type { KeyRestriction, KeyRestrictionInput } from '@muster/contract'
import ipaddr from 'ipaddr.js'
import { badField } from '../../error.ts'

const path = 'credential.restriction'

/** An address with or without a length. Not all that the library reads: it also knows octal and short forms. */
const networkPattern = /^([\d.]+|[\da-fA-F:.]*:[\da-fA-F:.]*)(?:\/(\d{1,3}))?$/

/** A network as it is stored: `10.0.0.7` is `10.0.0.7/32`. */
function readNetwork(text: string, index: number): string {
  const field = `${path}.networks.${index}`
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

const distinct = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

/** The restriction of a new key; null if it restricts nothing. The caller checks the projects. */
export function readKeyRestriction(
  input: KeyRestrictionInput | null | undefined,
  projectId: string,
): KeyRestriction | null {
  const { read_only = false, actions, projects, networks } = input ?? {}
  if (read_only && actions) {
    throw badField(`${path}.actions`, 'cannot be combined with read_only')
  }
  if (projects && !projects.includes(projectId)) {
    throw badField(`${path}.projects`, 'must contain the project of the key')
  }
  if (!read_only && !actions && !projects && !networks) return null
  return {
    read_only,
    actions: actions ? distinct(actions) : null,
    projects: projects ? distinct(projects) : null,
    networks: networks ? distinct(networks.map(readNetwork)) : null,
  }
}
