import { useMutation, useQuery } from '@tanstack/react-query'
import { allAccountsQuery } from '../api/queries/accounts.ts'
import { choicesQuery } from '../api/queries/entities.ts'
import { viewsQuery } from '../api/queries/views.ts'
import { useMessages } from '../messages/use-messages.ts'
import { writeListState, readListState } from '../servers/list-state.ts'
import { fromView } from '../servers/view-state.ts'
import type { SessionScope } from '../session/remembered-scope.ts'
import { switchScope } from '../session/switch-scope.ts'
import { usePermissions } from '../session/use-permission.ts'
import { useSession } from '../session/use-session.ts'
import { showToast } from '../ui/show-toast.ts'
import type { PageOption, PaletteOption } from './palette-options.ts'

type Group = 'projects' | 'accounts' | 'people' | 'views'

interface Entities {
  readonly groups: readonly (readonly PageOption[])[]
  readonly isLoading: boolean
}

/** Projects, accounts, people and views. What the user may not list is left out. */
export function useEntityOptions(isWanted: (group: Group) => boolean): Entities {
  const permission = usePermissions()
  const projects = useQuery({
    ...choicesQuery('projects'),
    enabled: isWanted('projects') && permission('listProjects').allowed,
  })
  const accounts = useQuery({
    ...allAccountsQuery,
    enabled: isWanted('accounts') && permission('listCloudAccounts').allowed,
  })
  const users = useQuery({
    ...choicesQuery('users'),
    enabled: isWanted('people') && permission('listUsers').allowed,
  })
  const views = useQuery({ ...viewsQuery, enabled: isWanted('views') })
  return {
    isLoading: [projects, accounts, users, views].some(({ isLoading }) => isLoading),
    groups: [
      (projects.data ?? []).map(({ id, name, description }) => ({
        id: `project ${id}`,
        group: 'projects',
        icon: 'layers',
        name,
        hint: description,
        href: `/identity/projects/${id}`,
      })),
      (accounts.data ?? []).map(({ id, name, provider }) => ({
        id: `account ${id}`,
        group: 'accounts',
        icon: 'cloud',
        name,
        hint: provider,
        href: `/accounts/${id}`,
      })),
      (users.data ?? []).map(({ id, name, displayname, email }) => ({
        id: `user ${id}`,
        group: 'people',
        icon: 'user',
        name,
        hint: [displayname, email].filter(Boolean).join(' · '),
        href: `/identity/users/${id}`,
      })),
      (views.data ?? []).map((view) => ({
        id: `view ${view.id}`,
        group: 'views',
        icon: 'star',
        name: view.name,
        hint: view.q,
        href: `/servers?${new URLSearchParams(
          Object.entries(writeListState({ ...readListState({}), ...fromView(view) })).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          ),
        ).toString()}`,
      })),
    ],
  }
}

/** "Switch to project web". */
export function useScopeSwitches(): readonly PaletteOption[] {
  const t = useMessages().frame
  const { scope, projects, domains } = useSession()
  const go = useMutation({
    mutationFn: (wanted: SessionScope) => switchScope(wanted),
    onSuccess: (session) => showToast(t.switched(session.scope.name)),
  })
  const shared = { group: 'projects', icon: 'refresh' } as const
  return [
    ...projects.map(({ id, name, domain }) => ({
      ...shared,
      id: `switch ${id}`,
      name: t.switchToProject(name),
      hint: domain.name,
      run: () => go.mutate({ project_id: id }),
    })),
    ...domains.map(({ id, name }) => ({
      ...shared,
      id: `switch ${id}`,
      name: t.switchToDomain(name),
      run: () => go.mutate({ domain_id: id }),
    })),
  ].filter(({ id }) => id !== `switch ${scope.id}`)
}
