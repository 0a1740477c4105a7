import { hash } from 'node:crypto'
import type { LinkRequest } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { loginFailed } from '../../error.ts'
import { findFactorNeed } from '../factors/required-factor.ts'
import type { LoginLimit } from '../login-limit.ts'
import type { AuthMethod } from '../methods/auth-method.ts'
import type { TokenStore } from '../ports.ts'
import type { Principal } from '../principal.ts'
import type { CredentialDriver } from '../provider-driver.ts'
import type { DecryptOptions } from './decrypt-options.ts'
import type { FindProvider } from './find-provider.ts'
import { requireNetwork } from '../require-network.ts'
import type { ProvisionUser } from './provision-user.ts'

interface Dependencies {
  readonly findProvider: FindProvider
  readonly decryptOptions: DecryptOptions
  readonly provisionUser: ProvisionUser
  readonly verifyToken: (secret: string) => Promise<Principal | undefined>
  readonly tokens: Pick<TokenStore, 'useOnce'>
  readonly loginLimit: Pick<LoginLimit, 'requireProviderLogin' | 'noteProviderLogin'>
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
  readonly clock: Clock
}

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestVerification = 5_000

/** How long after a login with the password its token can link a login at a provider. */
const longestProof = 600_000

/** The login with an identity provider, whatever its driver. */
export function createProviderMethod(
  driver: CredentialDriver,
  dependencies: Dependencies,
): AuthMethod {
  const { findProvider, decryptOptions, provisionUser, verifyToken } = dependencies
  const { tokens, loginLimit, inTurn, clock } = dependencies
  const { names, section, label } = driver
  const [method] = names

  /** Before the provider is asked: however often it confirms a credential, it works once. */
  async function useOnce(secret: string, providerId: string, address: string): Promise<void> {
    const id = `ticket:${hash('sha256', `${providerId}:${secret}`, 'base64url')}`
    const isFirst = await tokens.useOnce({ id, address, at: clock(), grace: 0 })
    if (!isFirst) throw loginFailed(`${label}: credential used before`)
  }

  /** The user of a token with which a login may be added: who only has a session must not add any. */
  async function readProof({ token: secret }: LinkRequest, ip: string): Promise<string> {
    const principal = await verifyToken(secret)
    if (principal) requireNetwork(principal, ip)
    const { token } = principal ?? {}
    const isFresh = token?.method === 'password' && token.issuedAt > clock() - longestProof
    if (!isFresh || (principal && findFactorNeed(principal) !== 'none'))
      throw loginFailed(`${label}: to link takes a recent login with the password`)
    return token.userId
  }

  return {
    names,
    section,
    links: true,
    async authenticate(identity, origin, requested, link) {
      const { providerId, ...credential } = driver.readCredential(identity)
      loginLimit.requireProviderLogin(method, origin.ip)
      const provider = await findProvider(method, requested, providerId)
      if (!provider) throw loginFailed(`${label}: no provider, or more than one to choose from`)
      const linkTo = link && (await readProof(link, origin.ip))
      const options = await decryptOptions(provider)
      await useOnce(credential.identity ?? credential.secret, provider.id, origin.ip)
      const deadline = performance.now() + longestVerification
      const person = await inTurn(provider.id, () => driver.verify(options, credential, deadline))
      const { session: providerSession, expiresAt, subject, isProgram, saidAt = clock() } = person
      // Before anything is written.
      if (expiresAt !== undefined && expiresAt <= clock()) {
        throw loginFailed(`${label}: credential expired`)
      }
      const user = await provisionUser(provider, person, { origin, requested, label, linkTo })
      loginLimit.noteProviderLogin(method, origin.ip)
      // Not in the future, where the clock of the provider is ahead.
      const at = Math.min(saidAt, clock())
      const preconditions = { confirmation: { providerId: provider.id, subject, at } }
      return {
        user,
        providerSession,
        isProgram,
        preconditions,
        ...(expiresAt !== undefined && { expiresAt }),
      }
    },
  }
}
