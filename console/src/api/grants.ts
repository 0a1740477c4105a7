import { api } from './client.ts'

export interface Grant {
  readonly roleId: string
  readonly holder: { readonly kind: 'user' | 'group'; readonly id: string }
  readonly place:
    | { readonly kind: 'project' | 'domain'; readonly id: string }
    | { readonly kind: 'system' }
}

type Verb = 'grant' | 'revoke'

/** The API has an operation for every kind of place and of holder; here they are one. */
async function change(verb: Verb, { roleId: role_id, holder, place }: Grant): Promise<void> {
  const isUser = holder.kind === 'user'
  const user = { user_id: holder.id, role_id }
  const group = { group_id: holder.id, role_id }
  switch (place.kind) {
    case 'project':
      await (isUser
        ? api[`${verb}ProjectUserRole`]({ parameters: { id: place.id, ...user } })
        : api[`${verb}ProjectGroupRole`]({ parameters: { id: place.id, ...group } }))
      return
    case 'domain':
      await (isUser
        ? api[`${verb}DomainUserRole`]({ parameters: { id: place.id, ...user } })
        : api[`${verb}DomainGroupRole`]({ parameters: { id: place.id, ...group } }))
      return
    case 'system':
      await (isUser
        ? api[`${verb}SystemUserRole`]({ parameters: user })
        : api[`${verb}SystemGroupRole`]({ parameters: group }))
  }
}

export const grantRole = (grant: Grant) => change('grant', grant)
export const revokeRole = (grant: Grant) => change('revoke', grant)
