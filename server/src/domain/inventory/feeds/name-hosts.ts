import type { Server } from '@muster/contract'
import ipaddr from 'ipaddr.js'
import { chooseAddress, type AddressChoice } from './choose-address.ts'

/** Starts with a letter or digit, so that no program takes it for an option. */
const hostName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/

/** Names that programs have a meaning for. A server with this name must not change what they mean. */
const reserved =
  /^(?:all|ungrouped|broadcasthost|(?:.*\.)?localhost(?:\.localdomain)?|ip6-(?:localhost|loopback|localnet|mcastprefix|all\w+))$/

export interface HostOptions {
  readonly address: AddressChoice
  /** Follows every name. */
  readonly suffix: string
}

export type LeftOut = 'no address' | 'name'

type NamedHost =
  | { readonly alias: string; readonly address: string }
  | { readonly leftOut: LeftOut }

/**
 * Gives each server a host name of its own. The first server with a name gets it; others get the beginning
 * of their id as well. Names are compared without case, as hosts files are.
 */
export function createHostNamer(
  { address: choice, suffix }: HostOptions,
  isTaken: (name: string) => boolean = () => false,
) {
  const used = new Set<string>()

  const isFree = (alias: string) => {
    const name = alias.toLowerCase()
    return (
      hostName.test(alias) &&
      !used.has(name) &&
      !reserved.test(name) &&
      !ipaddr.isValid(name) &&
      !isTaken(alias)
    )
  }

  return function nameHost(server: Server): NamedHost {
    const address = chooseAddress(server, choice)
    if (address === undefined) return { leftOut: 'no address' }
    const { name, id } = server
    const candidates = [name, `${name}-${id.slice(0, 8)}`, `${name}-${id}`]
    const alias = candidates.map((candidate) => candidate + suffix).find(isFree)
    if (alias === undefined) return { leftOut: 'name' }
    used.add(alias.toLowerCase())
    return { alias, address }
  }
}
