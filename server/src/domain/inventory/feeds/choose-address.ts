import type { Server } from '@muster/contract'
import ipaddr from 'ipaddr.js'

export type AddressChoice = 'first' | 'private' | 'public'

/** Ranges in which no other machine is. A source that reports one would direct a client to itself. */
const unusable: ReadonlySet<string> = new Set([
  'unspecified',
  'broadcast',
  'multicast',
  'linkLocal',
  'loopback',
])
const privateRanges: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat'])

/** Stricter than the library, which accepts `10` and `0x7f.1` as addresses. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'))

/** The addresses in a list that another machine can use, each in its canonical form. */
const readAddresses = (list: string) =>
  list
    .split(',')
    .filter(isAddress)
    .map((text) => ipaddr.process(text))
    .filter((address) => !unusable.has(address.range()))
    .map((address) => ({
      text: address.toString(),
      isPrivate: privateRanges.has(address.range()),
    }))

/** The address by which a feed names a server; undefined if it has none of this kind. */
export function chooseAddress(
  { ips, eip }: Pick<Server, 'ips' | 'eip'>,
  choice: AddressChoice,
): string | undefined {
  const [own, external] = [readAddresses(ips), readAddresses(eip)]
  const candidates = {
    first: [...own, ...external],
    private: own.filter(({ isPrivate }) => isPrivate),
    public: [...external, ...own].filter(({ isPrivate }) => !isPrivate),
  }
  return candidates[choice][0]?.text
}
