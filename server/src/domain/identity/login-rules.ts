import type { LoginRules } from '@muster/contract'
import { isWithin, readNetworks, type Network } from '../networks.ts'
import type { Login, TokenRecord, UserRecord } from './records.ts'

/** When a token ends: by itself, or because the domain of the user limits how long a login lasts. */
export const endOfToken = (
  { expiresAt, login }: Pick<TokenRecord, 'expiresAt' | 'login'>,
  { domain }: Pick<UserRecord, 'domain'>,
): number => Math.min(expiresAt, login.at + (domain.loginRules.token_lifetime ?? Infinity) * 1_000)

/** Whether networks apply to a method: keys have restrictions of their own, and workloads run anywhere. */
export const isBoundToNetworks = (method: string): boolean =>
  method !== 'aksk' && method !== 'workload'

/** The methods of people. All others are programs, whose logins do not show that a person is there. */
const personal: ReadonlySet<string> = new Set(['password', 'cas', 'oidc'])
export const isPersonal = ({ method }: Login): boolean => personal.has(method)

/** The networks from which users of the domain are let in; undefined for all. */
export const networksOf = ({ networks }: Pick<LoginRules, 'networks'>) =>
  networks.length === 0 ? undefined : readNetworks(networks)

/** The networks from which a login and its tokens can be used; undefined for all. */
export const networksFor = (
  { domain, isBreakGlass }: UserRecord,
  { method }: Login,
): readonly Network[] | undefined =>
  isBreakGlass || !isBoundToNetworks(method) ? undefined : networksOf(domain.loginRules)

/** Whether a break-glass login comes from where nobody else of the domain is let in. */
export const usesExemption = ({ domain, isBreakGlass }: UserRecord, ip: string): boolean => {
  const networks = isBreakGlass ? networksOf(domain.loginRules) : undefined
  return networks !== undefined && !isWithin(networks, ip)
}
