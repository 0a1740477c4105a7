import { PlatformError } from '../error.ts'
import { isWithin } from '../networks.ts'
import type { Principal } from './principal.ts'

/** Throws a 401 unless the address is one from which the token can be used. */
export function requireNetwork({ networks }: Principal, ip: string): void {
  if (!networks || isWithin(networks, ip)) return
  throw new PlatformError(
    'UnauthorizedError',
    `Your domain lets its users in from certain networks only, and your address ${ip} is in none of them. Send the request from one of these networks.`,
  )
}
