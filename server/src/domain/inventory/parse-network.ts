import ipaddr from 'ipaddr.js'
import { badField } from '../error.ts'
import type { Condition } from './condition.ts'

/** The length of the longest address with a prefix. */
const longest = 64

/** This runs for every address of every server, so the common form has a fast path. */
const fourParts = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

const hex = (bytes: readonly number[]) =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The bytes of an address. An IPv4 address in IPv6 notation has four. */
function bytesOf(text: string): number[] | undefined {
  if (text.length > longest) return undefined
  if (fourParts.test(text)) return text.split('.').map(Number)
  // A zone is meaningful only on the machine that wrote it.
  if (!ipaddr.IPv6.isValid(text) || text.includes('%')) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toByteArray()
    : address.toByteArray()
}

const keyOf = (bytes: readonly number[]) => `${bytes.length === 4 ? 4 : 6}${hex(bytes)}`

/**
 * The form in which an address is stored and compared: its family and its bytes in hex, `40a040211`
 * for 10.4.2.17. Undefined if the text is not an address.
 */
export function addressKey(address: string): string | undefined {
  const bytes = bytesOf(address)
  return bytes && keyOf(bytes)
}

/** The bytes with all bits after the prefix set, or cleared. */
const fill = (bytes: readonly number[], prefix: number, rest: 0 | 0xff) =>
  bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefix - index * 8))
    const mask = (0xff << (8 - kept)) & 0xff
    return (byte & mask) | (rest & ~mask & 0xff)
  })

/** The length of the prefix in these bytes, from the length after the address. */
function prefixOf(text: string | undefined, bytes: readonly number[], address: string) {
  const bits = bytes.length * 8
  if (text === undefined) return bits
  if (!/^\d{1,3}$/.test(text)) return undefined
  // In IPv6 notation, the length of an IPv4 prefix includes 96 leading bits.
  const prefix = Number(text) - (bits === 32 && address.includes(':') ? 96 : 0)
  return prefix >= 0 && prefix <= bits ? prefix : undefined
}

/** An address, or a network in CIDR notation; bits after the prefix do not matter. */
export function parseNetwork(text: string, path = 'ip'): Condition & { readonly kind: 'address' } {
  const end = text.indexOf('/')
  const address = end === -1 ? text : text.slice(0, end)
  const bytes = bytesOf(address)
  const prefix = bytes && prefixOf(end === -1 ? undefined : text.slice(end + 1), bytes, address)
  if (prefix === undefined) {
    throw badField(
      path,
      'must be an address or a network, such as 10.4.2.17, 10.4.0.0/16 or fd00::/8',
    )
  }
  return {
    kind: 'address',
    first: keyOf(fill(bytes ?? [], prefix, 0)),
    last: keyOf(fill(bytes ?? [], prefix, 0xff)),
  }
}
