import { everywhere } from '../../scope.ts'
import { all, type Registry, type ResourceQuery } from '../administration/registry.ts'
import type { IdentityProvider } from '../administration/resources.ts'
import type { RequestedScope } from '../token-scope.ts'
import { createFindRequestedScope } from './find-requested-scope.ts'

/**
 * The provider that a credential is for: the one that the request names; else, where there are
 * several, the one of the requested scope's domain. A credential is shown to one provider only.
 */
export function createFindProvider(registry: Registry) {
  const findRequestedScope = createFindRequestedScope(registry)

  async function list(query: ResourceQuery): Promise<readonly IdentityProvider[]> {
    const { items } = await registry.list('identity_providers', everywhere, query)
    return items
  }

  return async function findProvider(
    driver: string,
    requested: RequestedScope,
    providerId?: string,
  ): Promise<IdentityProvider | undefined> {
    const enabled = { driver, enabled: true }
    if (providerId !== undefined) {
      return (await list(all(enabled))).find(({ id }) => id === providerId)
    }
    const atMostTwo = (filters: Parameters<typeof all>[0]) => list({ ...all(filters), limit: 2 })
    const found = await atMostTwo(enabled)
    if (found.length <= 1) return found[0]
    const scope = requested.kind === 'default' ? undefined : await findRequestedScope(requested)
    if (!scope) return undefined
    const [provider, ...others] = await atMostTwo({ ...enabled, domain_id: scope.domainId })
    return others.length === 0 ? provider : undefined
  }
}
export type FindProvider = ReturnType<typeof createFindProvider>
