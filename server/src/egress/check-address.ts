import { isIP } from 'node:net'
import type { CheckAddress } from '../domain/identity/providers/read-options.ts'
import type { CheckHost } from '../domain/sources/validate-settings.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'

const notAllowed = 'is not an allowed address. To allow it, add it to --source-allow'

/**
 * Rejects addresses early that every connection would reject. Names are not resolved here, because they may
 * change.
 */
export const createCheckHost =
  (rule: AddressRule): CheckHost =>
  (host) => {
    const isPlain = isIP(host) !== 0 || /(^|\.)localhost\.?$/.test(host)
    return isPlain && !rule(host) ? notAllowed : undefined
  }

export function createCheckAddress(rule: AddressRule): CheckAddress {
  const checkHost = createCheckHost(rule)
  return (url) => checkHost(hostOf(url))
}
