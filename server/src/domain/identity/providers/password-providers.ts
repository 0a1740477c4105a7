import { randomBytes } from 'node:crypto'
import { loginFailed } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import { all, type Registry } from '../administration/registry.ts'
import type { IdentityProvider } from '../administration/resources.ts'
import type { PasswordDriver, PasswordVerdict, ProviderDriver } from '../provider-driver.ts'
import type { DecryptOptions } from './decrypt-options.ts'

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestCheck = 5_000

interface Dependencies {
  readonly registry: Pick<Registry, 'list'>
  readonly drivers: readonly ProviderDriver[]
  readonly decryptOptions: DecryptOptions
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
}

/** A provider that checks the passwords of a domain. */
export interface PasswordProvider {
  readonly provider: IdentityProvider
  readonly label: string
  /** Rejects with the one 401 if the provider gives no clear answer. */
  check(name: string, password: string): Promise<PasswordVerdict>
  /** Takes as long as a check, so that the time does not tell which names are users of Muster. Never rejects. */
  askInVain(): Promise<void>
}

export const passwordDrivers = (drivers: readonly ProviderDriver[]): readonly PasswordDriver[] =>
  drivers.filter((driver) => 'checkPassword' in driver)

/** Finds the provider that checks the passwords of a domain. Runs the same query for one that does not exist. */
export function createFindPasswordProvider(dependencies: Dependencies) {
  const { registry, drivers, decryptOptions, inTurn } = dependencies
  const byName = new Map(passwordDrivers(drivers).map((driver) => [driver.names[0], driver]))

  return async function findPasswordProvider(
    domainId: string,
  ): Promise<PasswordProvider | undefined> {
    const query = all({ enabled: true, domain_id: domainId })
    const { items } = await registry.list('identity_providers', everywhere, query)
    const own = items.filter(({ driver }) => byName.has(driver))
    const [provider] = own
    const driver = provider && byName.get(provider.driver)
    if (!provider || !driver) return undefined
    const { label } = driver

    const check = async (name: string, password: string): Promise<PasswordVerdict> => {
      // A password is shown to one provider only.
      if (own.length > 1) return { refusal: 'the domain has several providers for passwords' }
      const deadline = performance.now() + longestCheck
      const options = await decryptOptions(provider)
      return await inTurn(provider.id, () =>
        driver.checkPassword(options, { name, password }, deadline),
      )
    }

    return {
      provider,
      label,
      async check(name, password) {
        try {
          return await check(name, password)
        } catch (error) {
          throw loginFailed(`${label}: ${(error as Error).message}`)
        }
      },
      async askInVain() {
        const nobody = randomBytes(12).toString('hex')
        await check(nobody, nobody).catch(() => {})
      },
    }
  }
}
export type FindPasswordProvider = ReturnType<typeof createFindPasswordProvider>
