import { all, type ListQuery, type Registry } from '../administration/registry.ts'
import type { IdentityProvider } from '../administration/resources.ts'
import { everywhere } from '../../scope.ts'
import type { RequestedScope } from '../scope.ts'
import { createFindRequestedScope } from './find-requested-scope.ts'

/** Two are enough to see that there is more than one. */
const firstTwo = (filters: ListQuery['filters']): ListQuery => ({
  ...all({ ...filters, enabled: true }),
  limit: 2,
})

/**
 * The provider that a ticket is from: the one that the request names; else, where there are several,
 * the domain of the scope it asks for decides. A ticket is shown to one server only.
 */
export function createFindProvider(registry: Registry) {
  const findRequestedScope = createFindRequestedScope(registry)

  async function findSome(filters: ListQuery['filters']): Promise<readonly IdentityProvider[]> {
    const { items } = await registry.list('identity_providers', everywhere, firstTwo(filters))
    return items
  }

  async function findNamed(id: string): Promise<IdentityProvider | undefined> {
    const { items } = await registry.list('identity_providers', everywhere, all({ enabled: true }))
    return items.find((provider) => provider.id === id)
  }

  return async function findProvider(
    wish: RequestedScope,
    named?: string,
  ): Promise<IdentityProvider | undefined> {
    if (named !== undefined) return await findNamed(named)
    const some = await findSome({})
    if (some.length <= 1) return some[0]
    const scope = wish.kind === 'default' ? undefined : await findRequestedScope(wish)
    if (!scope) return undefined
    const [provider, ...others] = await findSome({ domain_id: scope.domainId })
    return others.length === 0 ? provider : undefined
  }
}
export type FindProvider = ReturnType<typeof createFindProvider>
