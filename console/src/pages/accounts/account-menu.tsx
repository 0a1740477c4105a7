import type { CloudAccount } from '@muster/contract'
import { useNavigate } from '@tanstack/react-router'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import styles from './accounts-page.module.css'
import type { AccountActions } from '../../servers/use-account-actions.ts'

interface Props {
  readonly account: CloudAccount
  readonly actions: AccountActions
  readonly onDelete: () => void
}

/** The actions on an account in the list. */
export function AccountMenu({ account, actions, onDelete }: Props) {
  const t = useMessages()
  const navigate = useNavigate()
  const canDelete = usePermission('deleteCloudAccount')
  const { id, name, enabled } = account
  const open = (search: Record<string, string>) =>
    void navigate({ to: '/accounts/$id', params: { id }, search })
  return (
    <span className={styles.actions}>
      <Button
        small
        look="quiet"
        icon="refresh"
        label={`${t.accounts.syncNow}: ${name}`}
        disabledReason={actions.syncReason(account)}
        onClick={() => actions.sync.mutate(account)}
      />
      <Menu
        label={t.accounts.actionsOf(name)}
        trigger={(trigger) => (
          <Button {...trigger} small look="quiet" icon="more" label={t.accounts.actionsOf(name)} />
        )}
      >
        <MenuItem icon="right" onSelect={() => open({})}>
          {t.accounts.open}
        </MenuItem>
        <MenuItem icon="edit" onSelect={() => open({ tab: 'settings' })}>
          {t.common.edit}
        </MenuItem>
        <MenuItem icon="rows" onSelect={() => open({ tab: 'rules' })}>
          {t.accounts.editRules}
        </MenuItem>
        <MenuItem
          icon={enabled ? 'minus' : 'check'}
          disabledReason={actions.toggleReason}
          onSelect={() => actions.toggle.mutate(account)}
        >
          {enabled ? t.accounts.disable : t.accounts.enable}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" disabledReason={canDelete.reason} onSelect={onDelete}>
          {t.accounts.delete}…
        </MenuItem>
      </Menu>
    </span>
  )
}
