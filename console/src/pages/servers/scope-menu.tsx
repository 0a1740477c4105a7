import { scopes, type Scope } from '../../servers/list-state.ts'
import { useScopePermission } from '../../session/use-scope-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { ChangeList } from './use-list-state.ts'

interface Props {
  readonly scope: Scope
  readonly onChange: ChangeList
}

/** How far to look: all that one may see, or less. */
export function ScopeMenu({ scope, onChange }: Props) {
  const t = useMessages()
  const canReach = useScopePermission('listServers')
  return (
    <Menu
      label={t.servers.scope}
      trigger={(properties) => <Button {...properties}>{t.servers.scopes[scope]}</Button>}
    >
      {scopes.map((name) => (
        <MenuItem
          key={name}
          checked={name === scope}
          disabledReason={canReach(name) ? undefined : t.servers.scopeTooWide}
          onSelect={() => onChange({ scope: name })}
        >
          {t.servers.scopes[name]}
        </MenuItem>
      ))}
    </Menu>
  )
}
