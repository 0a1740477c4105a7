import type { LoginRules, LoginRulesDto, LoginRulesRequest } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import { isWithin, normalizeNetworks } from '../../networks.ts'
import type { Caller } from '../caller.ts'
import { isBoundToNetworks, networksOf } from '../login-rules.ts'
import { refuseAccessKeyToken } from './authority.ts'
import { createChangePlans, joinPlans, noChange, type Change } from './change-plan.ts'
import type { LoginRuleImpact, Registry } from './registry.ts'
import { requireResource } from './require-resource.ts'
import type { Domain } from './resources.ts'

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly clock: Clock
}

/** The maximum number of names in a response. */
const mostNames = 100

/** Who is logged in from an address where the rules would let nobody in. */
function listOutside(rules: LoginRules, { addresses }: LoginRuleImpact) {
  const networks = networksOf(rules)
  if (!networks) return []
  const outside = addresses.filter(
    ({ method, ip }) => isBoundToNetworks(method) && !isWithin(networks, ip),
  )
  return [...new Map(outside.map(({ id, name }) => [id, { id, name }])).values()]
}

/** Why the caller cannot set these rules, if so. */
function findRefusal(
  { principal, authorizedScope, origin: { ip } }: Caller,
  domain: Domain,
  rules: LoginRules,
  { hasSystemRoles, administrators }: LoginRuleImpact,
): PlatformError | undefined {
  if (hasSystemRoles && authorizedScope.scope.kind !== 'system') {
    return new PlatformError(
      'ForbiddenError',
      'A user of the domain has a role on the system. Only system administrators can change its rules.',
    )
  }
  const networks = networksOf(rules)
  if (!networks) return undefined
  if (!isWithin(networks, ip)) {
    return new PlatformError(
      'ConflictError',
      `login_rules.networks does not contain your own address ${ip}, so you could lock yourself out. Add it, or do this from one of the networks.`,
    )
  }
  const remains = administrators.some(
    ({ id, domainId, isExempt, networks: others }) =>
      isExempt || id === principal.token.userId || (domainId !== domain.id && others.length === 0),
  )
  if (administrators.length === 0 || remains) return undefined
  return new PlatformError(
    'ConflictError',
    'login_rules.networks could exclude the last system administrator. First mark one as break-glass, who is exempt, or let a system administrator set the rule from one of the networks.',
  )
}

/** How long and from where the users of a domain are logged in. */
export function createLoginRuleUseCases({ registry, change, clock }: Dependencies) {
  const plans = createChangePlans('domains', { registry, clock })

  return {
    updateLoginRules: (caller: Caller, domainId: string, request: LoginRulesRequest) =>
      change(caller, async (caller) => {
        const { dry_run: isDryRun = false, networks, ...times } = request
        const domain = await requireResource(registry, 'domains', domainId, caller.authorizedScope)
        refuseAccessKeyToken(caller.principal, 'change the rules about logins')
        const before = domain.login_rules
        const rules: LoginRules = {
          ...before,
          ...times,
          ...(networks && { networks: normalizeNetworks(networks, 'login_rules.networks') }),
        }
        const impact = await registry.loginRuleImpact(domainId, before, rules, clock())
        const outside = listOutside(rules, impact)
        const refusal = findRefusal(caller, domain, rules, impact)
        const result: LoginRulesDto = {
          ...rules,
          ended_tokens: impact.endedTokens,
          ended_sessions: impact.endedSessions,
          outside: outside.length,
          outside_users: outside.slice(0, mostNames),
          problem: refusal?.message ?? '',
        }
        if (isDryRun) return joinPlans([noChange], result)
        if (refusal) throw refusal
        const plan = await plans.toUpdate(caller, domain, { login_rules: rules })
        return { ...plan, result }
      }),
  }
}
