import type { OperationId, ScopeParameter } from '@muster/contract'
import { useMessages } from '../messages/use-messages.ts'
import { useScopePermission } from '../session/use-scope-permission.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { scopeValues } from './list-state.ts'

interface Props {
  /** The operation that lists the items. */
  readonly operation: OperationId
  readonly scope: ScopeParameter
  readonly onScope: (scope: ScopeParameter) => void
}

/** The scope of the list: everything the user can access, or less. */
export function ScopeMenu({ operation, scope, onScope }: Props) {
  const t = useMessages()
  const isAllowed = useScopePermission(operation)
  return (
    <Menu
      label={t.servers.scope}
      trigger={(properties) => (
        <Button {...properties}>
          {t.servers.scopes[scope]}
          <Icon name="down" />
        </Button>
      )}
    >
      {scopeValues.map((name) => (
        <MenuItem
          key={name}
          checked={name === scope}
          disabledReason={isAllowed(name) ? undefined : t.servers.scopeTooWide}
          onSelect={() => onScope(name)}
        >
          {t.servers.scopes[name]}
        </MenuItem>
      ))}
    </Menu>
  )
}
