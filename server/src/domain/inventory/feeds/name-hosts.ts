import type { Server } from '@muster/contract'
import ipaddr from 'ipaddr.js'
import { chooseAddress, type AddressChoice } from './choose-address.ts'
import type { IsShared } from './feed-format.ts'

/** Starts with a letter or digit, so that no program takes it for an option. No part of it is empty. */
const hostName = /^(?=.{1,253}$)[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*$/

/**
 * Names with a special meaning in other programs. A server with such a name must not take over that meaning.
 */
const reserved =
  /^(?:all|ungrouped|broadcasthost|(?:.*\.)?localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback|localnet|mcastprefix|all\w+))$/

export interface HostOptions {
  readonly address: AddressChoice
  /** Follows every name. */
  readonly suffix: string
}

export type LeftOut = 'no_address' | 'name'

type NamedHost =
  | { readonly alias: string; readonly address: string }
  | { readonly leftOut: LeftOut }

/** Ends like a name with an id, short or whole. */
const endsLikeId = /-(?:[0-9a-f]{8}|[0-9a-f]{12})$/i

/**
 * Gives each server a host name of its own. If several have a name, all of them get the beginning of their id
 * as well: so no filter and no new server can move a name to another server. Names are compared without case,
 * as hosts files are.
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

  return function nameHost(server: Server, isShared: IsShared): NamedHost {
    const address = chooseAddress(server, choice)
    if (address === undefined) return { leftOut: 'no_address' }
    const { name, id } = server
    const withId = [`${name}-${id.slice(0, 8)}`, `${name}-${id}`]
    const candidates = isShared(name) || endsLikeId.test(name) ? withId : [name, ...withId]
    const alias = candidates.map((candidate) => candidate + suffix).find(isFree)
    if (alias === undefined) return { leftOut: 'name' }
    used.add(alias.toLowerCase())
    return { alias, address }
  }
}
