import { isIP } from 'node:net'
import type { RefuseAddress } from '../domain/identity/administration/identity-providers.ts'
import type { RefuseHost } from '../domain/sources/check-settings.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'

const refusal =
  'leads to an address near Muster itself: if that is meant, name it as written here in --source-allow'

/**
 * Says at once what would be refused at each connection anyway. Where a name leads is not asked here:
 * it may lead elsewhere by then.
 */
export const createRefuseHost =
  (rule: AddressRule): RefuseHost =>
  (host) => {
    const isPlain = isIP(host) !== 0 || /(^|\.)localhost\.?$/.test(host)
    return isPlain && !rule(host) ? refusal : undefined
  }

export function createRefuseAddress(rule: AddressRule): RefuseAddress {
  const refuseHost = createRefuseHost(rule)
  return (url) => refuseHost(hostOf(url))
}
