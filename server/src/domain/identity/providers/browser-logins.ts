import type { IdentityRequest } from '@muster/contract'
import { everywhere } from '../../scope.ts'
import { all, type Registry } from '../administration/registry.ts'
import type { ProviderDriver, RememberedValues } from '../provider-driver.ts'

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestBegin = 5_000

interface Attempt {
  /** Whether the address to which the browser came back names the provider. */
  readonly isNamed: boolean
  readonly callback: string
  readonly remembered: RememberedValues
}

interface Dependencies {
  readonly registry: Pick<Registry, 'find' | 'list'>
  readonly drivers: readonly ProviderDriver[]
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
}

const flowOf = (drivers: readonly ProviderDriver[], name: string) =>
  drivers.find(({ names }) => names[0] === name)?.browserLogin

/** Finds an enabled provider whose driver has a login in the browser. */
export const createFindFlow =
  ({ registry, drivers }: Pick<Dependencies, 'registry' | 'drivers'>) =>
  async (id: string) => {
    const provider = await registry.find('identity_providers', id, everywhere)
    const flow = provider?.enabled ? flowOf(drivers, provider.driver) : undefined
    return provider && flow && { provider, flow }
  }

/** Logins on pages of identity providers, whatever their drivers. */
export function createBrowserLogins({ registry, drivers, inTurn }: Dependencies) {
  const find = createFindFlow({ registry, drivers })

  const listEnabled = async () =>
    (await registry.list('identity_providers', everywhere, all({ enabled: true }))).items

  async function findDomainId(name: string): Promise<string | undefined> {
    const query = { ...all({ name }), limit: 1 }
    return (await registry.list('domains', everywhere, query)).items[0]?.id
  }

  /**
   * Whether the provider is the only one that sends browsers to the shared address. Of several, one could
   * have sent the browser to another, whose credential it would then be shown (mix-up).
   */
  async function isAloneThere(id: string): Promise<boolean> {
    const there = (await listEnabled()).filter(
      ({ driver, options }) => flowOf(drivers, driver)?.usesSharedCallback?.(options) ?? false,
    )
    return there.length === 1 && there[0]?.id === id
  }

  return {
    /** The enabled providers that the login page offers: those of a domain, or all. */
    async list(
      domain?: string,
    ): Promise<readonly { readonly id: string; readonly name: string }[]> {
      const providers = await listEnabled()
      const id = domain === undefined ? undefined : await findDomainId(domain)
      return providers
        .filter(({ driver }) => flowOf(drivers, driver))
        .filter(({ domain_id }) => domain === undefined || domain_id === id)
        .map(({ id, name }) => ({ id, name }))
    },

    /** Where the browser goes; undefined if there is no such provider. Rejects if it does not answer. */
    async begin(id: string, callback: string, purpose: 'log-in' | 'link') {
      const found = await find(id)
      if (!found || (purpose === 'link' && !found.flow.bindsAnswer)) return undefined
      const deadline = performance.now() + longestBegin
      const { provider, flow } = found
      return await inTurn(id, () => flow.begin(provider.options, callback, deadline))
    },

    /** The credential with which the browser came back from the provider, if it holds one. */
    async readAnswer(
      id: string,
      query: URLSearchParams,
      { isNamed, ...attempt }: Attempt,
    ): Promise<IdentityRequest | undefined> {
      const found = await find(id)
      if (!isNamed && !(await isAloneThere(id))) return undefined
      return found?.flow.readAnswer(query, { providerId: id, ...attempt })
    },
  }
}
export type BrowserLogins = ReturnType<typeof createBrowserLogins>
