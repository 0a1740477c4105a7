import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { loginFailed } from '../../error.ts'
import type { LoginLimit } from '../login-limit.ts'
import type { AuthMethod } from '../methods/auth-method.ts'
import type { TokenStore } from '../ports.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import type { DecryptOptions } from './decrypt-options.ts'
import type { FindProvider } from './find-provider.ts'
import type { ProvisionUser } from './provision-user.ts'

interface Dependencies {
  readonly findProvider: FindProvider
  readonly decryptOptions: DecryptOptions
  readonly provisionUser: ProvisionUser
  readonly tokens: Pick<TokenStore, 'useOnce'>
  readonly loginLimit: Pick<LoginLimit, 'requireProviderLogin' | 'noteProviderLogin'>
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
  readonly clock: Clock
}

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestVerification = 5_000

/** The login with an identity provider, whatever its driver. */
export function createProviderMethod(
  driver: ProviderDriver,
  { findProvider, decryptOptions, provisionUser, tokens, loginLimit, inTurn, clock }: Dependencies,
): AuthMethod {
  const { names, section, label } = driver
  const [method] = names

  /** Before the provider is asked: however often it confirms a credential, it works once. */
  async function useOnce(secret: string, providerId: string, address: string): Promise<void> {
    const id = `ticket:${hash('sha256', `${providerId}:${secret}`, 'base64url')}`
    const isFirst = await tokens.useOnce({ id, address, at: clock(), grace: 0 })
    if (!isFirst) throw loginFailed(`${label}: credential used before`)
  }

  return {
    names,
    section,
    async authenticate(identity, origin, requested) {
      const { providerId, ...credential } = driver.readCredential(identity)
      loginLimit.requireProviderLogin(method, origin.ip)
      const provider = await findProvider(method, requested, providerId)
      if (!provider) throw loginFailed(`${label}: no provider, or more than one to choose from`)
      const options = await decryptOptions(provider)
      await useOnce(credential.identity ?? credential.secret, provider.id, origin.ip)
      const deadline = performance.now() + longestVerification
      const person = await inTurn(provider.id, () => driver.verify(options, credential, deadline))
      const user = await provisionUser(provider, person, { origin, requested, label })
      loginLimit.noteProviderLogin(method, origin.ip)
      const { session: providerSession, expiresAt } = person
      if (expiresAt !== undefined && expiresAt <= clock()) {
        throw loginFailed(`${label}: credential expired`, user)
      }
      const limits = { preconditions: { providerId: provider.id } }
      return { user, providerSession, ...limits, ...(expiresAt !== undefined && { expiresAt }) }
    },
  }
}
