import { api } from './client.ts'

export interface Grant {
  readonly roleId: string
  readonly principal: { readonly kind: 'user' | 'group'; readonly id: string }
  readonly scope:
    | { readonly kind: 'project' | 'domain'; readonly id: string }
    | { readonly kind: 'system' }
}

type Verb = 'grant' | 'revoke'

/** The API has one operation per kind of scope and principal; this is one function for all. */
async function change(verb: Verb, { roleId: role_id, principal, scope }: Grant): Promise<void> {
  const isUser = principal.kind === 'user'
  const user = { user_id: principal.id, role_id }
  const group = { group_id: principal.id, role_id }
  switch (scope.kind) {
    case 'project':
      await (isUser
        ? api[`${verb}ProjectUserRole`]({ parameters: { id: scope.id, ...user } })
        : api[`${verb}ProjectGroupRole`]({ parameters: { id: scope.id, ...group } }))
      return
    case 'domain':
      await (isUser
        ? api[`${verb}DomainUserRole`]({ parameters: { id: scope.id, ...user } })
        : api[`${verb}DomainGroupRole`]({ parameters: { id: scope.id, ...group } }))
      return
    case 'system':
      await (isUser
        ? api[`${verb}SystemUserRole`]({ parameters: user })
        : api[`${verb}SystemGroupRole`]({ parameters: group }))
  }
}

export const grantRole = (grant: Grant) => change('grant', grant)
export const revokeRole = (grant: Grant) => change('revoke', grant)
