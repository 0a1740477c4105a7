import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { createEvent } from '../../audit/create-event.ts'
import { loginFailed, PlatformError } from '../../error.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import { everywhere } from '../../scope.ts'
import type { ChangePlan, Registry } from '../administration/registry.ts'
import type { TokenStore } from '../ports.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { tokenId } from '../token-secret.ts'
import { createFindFlow } from './browser-logins.ts'

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestLogout = 5_000

interface Dependencies {
  readonly registry: Pick<Registry, 'find' | 'list' | 'findLink' | 'applyChange'>
  readonly tokens: Pick<TokenStore, 'find'>
  readonly drivers: readonly ProviderDriver[]
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
  readonly clock: Clock
}

/** Logouts between Muster and identity providers, in both directions. */
export function createProviderLogouts(dependencies: Dependencies) {
  const { registry, tokens, inTurn, clock } = dependencies
  const find = createFindFlow(dependencies)

  /** Throws for a message that the provider did not sign. */
  async function readMessage(id: string, message: string) {
    const { flow, provider } = (await find(id)) ?? {}
    if (!flow?.readLogout || !provider) throw loginFailed('no provider that ends logins')
    const deadline = performance.now() + longestLogout
    const notice = await inTurn(id, async () =>
      flow.readLogout?.(provider.options, message, deadline),
    )
    if (!notice) throw loginFailed('no provider that ends logins')
    return { provider, ...notice }
  }

  /**
   * Ends the logins that a message names. A repeated message would end later logins of the person, so it
   * is marked as used: in the same commit, because the provider repeats a message that failed.
   */
  async function planLogout(
    { provider, id, subject, session }: Awaited<ReturnType<typeof readMessage>>,
    origin: RequestOrigin,
  ): Promise<ChangePlan<undefined>> {
    const used = `logout:${hash('sha256', `${provider.id}:${id}`, 'base64url')}`
    const singleUse = { id: used, address: origin.ip, at: clock(), grace: 0 }
    const mark = { do: 'use-once', singleUse } as const
    const link = subject === undefined ? undefined : await registry.findLink(provider.id, subject)
    if (subject !== undefined && !link) return { writes: [mark], events: [], result: undefined }
    const userId = link?.userId
    const user = userId === undefined ? undefined : await registry.find('users', userId, everywhere)
    const action = {
      action: 'logout',
      targetType: user ? 'user' : 'identity_provider',
      targetId: user?.id ?? provider.id,
      targetName: user?.name ?? provider.name,
      scope: { kind: 'domain', domainId: provider.domain_id },
    } as const
    const event = createEvent({ user, origin, action, result: 'success', time: clock() })
    const write = { do: 'end-logins', providerId: provider.id, session, userId } as const
    return { writes: [mark, write], events: [event], result: undefined }
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
      try {
        const notice = await readMessage(id, message)
        await registry.applyChange(() => planLogout(notice, origin))
      } catch (error) {
        const isRefused = error instanceof PlatformError && error.class === 'UnauthorizedError'
        throw isRefused ? invalidMessage(error.cause) : error
      }
    },
  }
}
export type ProviderLogouts = ReturnType<typeof createProviderLogouts>

const invalidMessage = (cause: unknown) =>
  new PlatformError('InputParameterError', 'The logout token is not valid.', { cause })
