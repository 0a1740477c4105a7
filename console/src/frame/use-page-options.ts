import { inventoryKinds } from '../inventory/kinds.ts'
import { useMessages } from '../messages/use-messages.ts'
import { usePermissions } from '../session/use-permission.ts'
import { navigationItems } from './navigation.tsx'
import type { PageOption } from './palette-options.ts'

/** The pages that the palette opens. */
export function usePageOptions(): readonly PageOption[] {
  const t = useMessages()
  const permission = usePermissions()
  const page = { group: 'pages' } as const
  const options: readonly PageOption[] = [
    ...navigationItems
      .filter(({ name }) => name !== 'infrastructure')
      .map(({ to, name, icon }) => ({ ...page, id: to, icon, name: t.frame[name], href: to })),
    ...inventoryKinds.map((kind) => ({
      ...page,
      id: kind,
      icon: 'layers' as const,
      name: t.infrastructure.kinds[kind],
      hint: t.frame.infrastructure,
      href: `/infrastructure/${kind}`,
    })),
    { ...page, id: 'checks', icon: 'check', name: t.checks.title, href: '/checks' },
    { ...page, id: 'attach', icon: 'cloud', name: t.accounts.attach, href: '/accounts/new' },
    { ...page, id: 'keys', icon: 'key', name: t.frame.myKeys, href: '/me/keys' },
    { ...page, id: 'sessions', icon: 'screen', name: t.frame.mySessions, href: '/me/sessions' },
    { ...page, id: 'factors', icon: 'key', name: t.me.factors, href: '/me/factors' },
    { ...page, id: 'logins', icon: 'user', name: t.me.logins, href: '/me/logins' },
  ]
  const canAttach = permission('createCloudAccount').allowed
  return options.filter(({ id }) => canAttach || id !== 'attach')
}
