import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { createRateLimit } from '../rate-limit.ts'
import type { PlatformError } from '../error.ts'
import type { LoginGuard } from './ports.ts'
import type { Clock } from '../clock.ts'

/** How long after a login its user may exceed the address's limit. */
const recent = 86_400_000
/** Failures a minute of one recent user, once the address is over its limit. */
const failuresOfRecentUser = 10
/** The same for providers, as a multiple of the limit: only the provider can tell who it is. */
const providerFactor = 10
/** Events a minute of one user whose valid token asks for scopes that it cannot have. */
const recordedRefusals = 10
const mostAddresses = 100_000

/** Counted apart from logins. */
export const passwordLinkMethod = 'password-link'

/** What counts as one address: an IPv6 host usually has a whole /64 to itself. */
export function addressBlock(ip: string): string {
  if (!ip.includes(':')) return ip
  return ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':')
}

interface Dependencies {
  /** Failed logins of one method from one address; 0 for no limit. */
  readonly perMinute: number
  /** The methods whose credentials an identity provider checks. */
  readonly providerMethods: readonly string[]
  readonly guard: Pick<LoginGuard, 'listAddresses'>
  readonly clock: Clock
}

/**
 * Limits failed logins per method and address, so that failures of one method do not block another.
 * Users who logged in from the address within a day have a separate, smaller limit there.
 */
export function createLoginLimit({ perMinute, providerMethods, guard, clock }: Dependencies) {
  const details = 'Too many failed logins from this address: wait and try again.'
  const failures = createRateLimit(perMinute, details)
  const recentFailures = createRateLimit(perMinute && failuresOfRecentUser, details)
  const providerFailures = createRateLimit(providerFactor * perMinute, details)
  const refusedScopes = createRateLimit(recordedRefusals, details)
  const providerLogins = new LRUCache<string, number>({
    maxSize: mostAddresses,
    sizeCalculation: () => 1,
  })

  const keyOf = (method: string, ip: string) => `${method} ${addressBlock(ip)}`
  const userKeyOf = (userKey: string, ip: string) => `${userKey} ${addressBlock(ip)}`

  async function isRecentUser(userKey: string, ip: string): Promise<boolean> {
    const addresses = await guard.listAddresses(userKey, clock() - recent)
    return addresses.some((address) => addressBlock(address) === addressBlock(ip))
  }

  return {
    /** Throws the 429 of an address over its limit, before any work on the password. */
    async requirePassword(userKey: string, ip: string): Promise<void> {
      const refusal = failures.findRefusal(keyOf('password', ip), clock())
      if (!refusal) return
      if (!(await isRecentUser(userKey, ip))) throw refusal
      recentFailures.demand(userKeyOf(userKey, ip), clock())
    },

    /** The same for links to set a password, whose users are not known before. */
    requirePasswordLink(ip: string): void {
      const refusal = failures.findRefusal(keyOf(passwordLinkMethod, ip), clock())
      if (refusal) throw refusal
    },

    /** The same, before an identity provider is asked. */
    requireProviderLogin(method: string, ip: string): void {
      const key = keyOf(method, ip)
      const refusal = failures.findRefusal(key, clock())
      if (!refusal) return
      const last = providerLogins.get(key)
      if (last === undefined || last <= clock() - recent) throw refusal
      providerFailures.demand(key, clock())
    },

    noteProviderLogin: (method: string, ip: string): void =>
      void providerLogins.set(keyOf(method, ip), clock()),

    /**
     * Whether to record one more refused scope of this user: nobody must be able to fill the audit
     * log.
     */
    isScopeRefusalRecorded: (userKey: string): boolean => refusedScopes.take(userKey, clock()),

    /** Counts a failed login. Returns the 429 to send instead of the 401, if any. */
    countFailure(method: string, ip: string, userKey: string): PlatformError | undefined {
      const now = clock()
      if (providerMethods.includes(method)) providerFailures.count(keyOf(method, ip), now)
      const refusal = failures.findRefusal(keyOf(method, ip), now)
      if (!refusal) failures.count(keyOf(method, ip), now)
      else if (method === 'password') recentFailures.count(userKeyOf(userKey, ip), now)
      return refusal
    },
  }
}
export type LoginLimit = ReturnType<typeof createLoginLimit>
