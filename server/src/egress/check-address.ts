import { isIP } from 'node:net'
import type { CheckAddress } from '../domain/identity/providers/driver.ts'
import type { CheckHost } from '../domain/sources/validate-settings.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'

const refusal =
  'leads to an address near Muster itself: if that is meant, name it as written here in --source-allow'

/**
 * Rejects early what every connection would refuse. Names are not resolved here, because they may
 * change.
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
