import type { IdentityProvider } from '../administration/resources.ts'

/** How an event shows a login that was linked. */
export const linkedLogin = ({ name }: Pick<IdentityProvider, 'name'>, subject: string) => ({
  linked_login: [null, { provider: name, subject }] as [unknown, unknown],
})
