import type { Registry } from '../administration/registry.ts'
import type { IdentityProvider, User } from '../administration/resources.ts'

/**
 * Why a subject must not become a login of a user; undefined where it may. Names and e-mail addresses do
 * not matter: at many providers people choose their own.
 */
export function createFindLinkProblem(registry: Pick<Registry, 'findLink' | 'listLinks'>) {
  return async function findLinkProblem(
    { id, domain_id }: Pick<IdentityProvider, 'id' | 'domain_id'>,
    subject: string,
    user: User,
  ): Promise<string | undefined> {
    if (user.service_account) return 'The user is a service account, which has access keys only.'
    const link = await registry.findLink(id, subject)
    if (link && link.userId !== user.id) return 'The subject is a login of another user.'
    if (user.domain_id !== domain_id) return 'The provider is for users of another domain.'
    const isAnother = (await registry.listLinks({ userId: user.id })).some(
      (own) => own.providerId === id && own.subject !== subject,
    )
    return isAnother ? 'The user has another login at the provider.' : undefined
  }
}
