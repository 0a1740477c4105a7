import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { createEvent } from '../../audit/create-event.ts'
import { loginFailed, PlatformError } from '../../error.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import { everywhere } from '../../scope.ts'
import { noChange } from '../administration/change-plan.ts'
import type { Registry } from '../administration/registry.ts'
import type { TokenStore } from '../ports.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { tokenId } from '../token-secret.ts'
import { createFindFlow } from './browser-logins.ts'

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestLogout = 5_000

interface Dependencies {
  readonly registry: Pick<Registry, 'find' | 'list' | 'findSubject' | 'applyChange'>
  readonly tokens: Pick<TokenStore, 'find' | 'useOnce'>
  readonly drivers: readonly ProviderDriver[]
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
  readonly clock: Clock
}

/** Logouts between Muster and identity providers, in both directions. */
export function createProviderLogouts(dependencies: Dependencies) {
  const { registry, tokens, inTurn, clock } = dependencies
  const find = createFindFlow(dependencies)

  /** Throws for a message that the provider did not sign, or that was used before. */
  async function readMessage(id: string, message: string, address: string) {
    const { flow, provider } = (await find(id)) ?? {}
    if (!flow?.readLogout || !provider) throw loginFailed('no provider that ends logins')
    const deadline = performance.now() + longestLogout
    const notice = await inTurn(id, async () =>
      flow.readLogout?.(provider.options, message, deadline),
    )
    if (!notice) throw loginFailed('no provider that ends logins')
    // A repeated message would end later logins of the person.
    const once = `logout:${hash('sha256', `${id}:${notice.id}`, 'base64url')}`
    const isFirst = await tokens.useOnce({ id: once, address, at: clock(), grace: 0 })
    if (!isFirst) throw loginFailed('logout message used before')
    return { provider, ...notice }
  }

  return {
    /** The provider at which the login of a token was; undefined if there was none. */
    async providerOf(secret: string): Promise<string | undefined> {
      const token = await tokens.find(tokenId(secret) ?? '')
      return token?.providerId ?? undefined
    },

    /** The page that logs out at a provider too; undefined if there is none. */
    async logoutPage(id: string, returnTo: string): Promise<string | undefined> {
      const found = await find(id)
      if (!found?.flow.logoutPage) return undefined
      const { provider, flow } = found
      const deadline = performance.now() + longestLogout
      return await inTurn(id, async () => flow.logoutPage?.(provider.options, returnTo, deadline))
    },

    /** Ends the logins that a message of the provider names. Throws a 400 for any other message. */
    async endLogins(id: string, message: string, origin: RequestOrigin): Promise<void> {
      const notice = await readMessage(id, message, origin.ip).catch((error: unknown) => {
        const isRefused = error instanceof PlatformError && error.class === 'UnauthorizedError'
        throw isRefused ? invalidMessage(error.cause) : error
      })
      const { provider, subject, session } = notice
      await registry.applyChange(async () => {
        const userId = subject === undefined ? undefined : await registry.findSubject(id, subject)
        if (subject !== undefined && userId === undefined) return noChange
        const user =
          userId === undefined ? undefined : await registry.find('users', userId, everywhere)
        const action = {
          action: 'logout',
          targetType: user ? 'user' : 'identity_provider',
          targetId: user?.id ?? id,
          targetName: user?.name ?? provider.name,
          scope: { kind: 'domain', domainId: provider.domain_id },
        } as const
        const event = createEvent({ user, origin, action, result: 'success', time: clock() })
        const write = { do: 'end-logins', providerId: id, session, userId } as const
        return { writes: [write], events: [event], result: undefined }
      })
    },
  }
}
export type ProviderLogouts = ReturnType<typeof createProviderLogouts>

const invalidMessage = (cause: unknown) =>
  new PlatformError('InputParameterError', 'The logout token is not valid.', { cause })
