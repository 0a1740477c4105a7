import { isIP } from 'node:net'
import type { CheckAddress } from '../domain/identity/providers/driver.ts'
import type { CheckHost } from '../domain/sources/validate-settings.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'

const refusal =
  'leads to an address near Muster itself: if that is meant, name it as written here in --source-allow'

/**
 * Says at once what would be refused at each connection anyway. Where a name leads is not asked here:
 * it may lead elsewhere by then.
 */
export const createCheckHost =
  (rule: AddressRule): CheckHost =>
  (host) => {
    const isPlain = isIP(host) !== 0 || /(^|\.)localhost\.?$/.test(host)
    return isPlain && !rule(host) ? refusal : undefined
  }

export function createCheckAddress(rule: AddressRule): CheckAddress {
  const checkHost = createCheckHost(rule)
  return (url) => checkHost(hostOf(url))
}
