import { loginFailed, PlatformError } from '../../error.ts'
import type { Registry } from '../administration/registry.ts'
import type { IdentityProvider } from '../administration/resources.ts'
import { everywhere } from '../../scope.ts'
import type { Clock } from '../../clock.ts'
import type { UserSummary } from '../../user-summary.ts'
import type { ExternalIdentity } from '../provider-driver.ts'
import { createPlanLogin, type ProviderLogin } from './plan-login.ts'

/** Writes what a login plans. A login that fails writes nothing. */
export function createProvisionUser(registry: Registry, clock: Clock) {
  const planLogin = createPlanLogin(registry, clock)

  /** Reads the provider again: it may have been changed or disabled while its server was asked. */
  async function requireEnabled(
    { id, domain_id }: IdentityProvider,
    label: string,
  ): Promise<IdentityProvider> {
    const provider = await registry.find('identity_providers', id, everywhere)
    const domain = await registry.find('domains', domain_id, everywhere)
    if (!provider?.enabled || !domain?.enabled) {
      throw loginFailed(`${label}: provider or domain disabled`)
    }
    return provider
  }

  return async function provisionUser(
    asked: IdentityProvider,
    person: ExternalIdentity,
    login: ProviderLogin,
  ): Promise<UserSummary> {
    const plan = async () => planLogin(await requireEnabled(asked, login.label), person, login)
    try {
      return await registry.applyChange(plan)
    } catch (error) {
      const wouldLockOut = error instanceof PlatformError && error.class === 'ConflictError'
      if (!wouldLockOut) throw error
      // A mapping must not revoke the last administrator's role, so this login revokes nothing.
      return await registry.applyChange(async () => {
        const { writes, ...others } = await plan()
        return { ...others, writes: writes.filter((write) => write.do !== 'revoke') }
      })
    }
  }
}
export type ProvisionUser = ReturnType<typeof createProvisionUser>
