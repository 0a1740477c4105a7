import type { DeviceLoginDto } from '@muster/contract'
import { everywhere } from '../../scope.ts'
import { all, type Registry } from '../administration/registry.ts'
import type { ProviderDriver } from '../provider-driver.ts'

/** Milliseconds for waiting in the queue and for the provider's response together. */
const longestQuery = 5_000

interface Dependencies {
  readonly registry: Pick<Registry, 'list'>
  readonly drivers: readonly ProviderDriver[]
  /** Bounds how many requests are sent at once, to one provider and to all. */
  readonly inTurn: <Result>(providerId: string, work: () => Promise<Result>) => Promise<Result>
}

/** Lists the enabled providers that allow the device flow: those of a domain, or all. */
export function createGetDeviceLogins({ registry, drivers, inTurn }: Dependencies) {
  async function findDomainId(name: string): Promise<string | undefined> {
    const query = { ...all({ name }), limit: 1 }
    return (await registry.list('domains', everywhere, query)).items[0]?.id
  }

  return async function getDeviceLogins(domain?: string): Promise<DeviceLoginDto[]> {
    const domainId = domain === undefined ? undefined : await findDomainId(domain)
    if (domain !== undefined && domainId === undefined) return []
    const enabled = all({ enabled: true, ...(domainId !== undefined && { domain_id: domainId }) })
    const { items } = await registry.list('identity_providers', everywhere, enabled)
    const deadline = performance.now() + longestQuery
    const found = items.map(async ({ id, name, driver: kind, options }) => {
      const driver = drivers.find(({ names }) => names[0] === kind)
      if (!driver?.deviceLogin) return undefined
      // One that does not respond must not hide the others.
      const login = await inTurn(id, async () => driver.deviceLogin?.(options, deadline)).catch(
        () => undefined,
      )
      return login && { provider: { id, name }, ...login }
    })
    return (await Promise.all(found)).filter((login) => login !== undefined)
  }
}
export type GetDeviceLogins = ReturnType<typeof createGetDeviceLogins>
