import { useNavigate } from '@tanstack/react-router'
import { useSession } from '../session/use-session.ts'
import { roleText } from '../session/role-text.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx'
import { useLogOut } from './use-log-out.ts'
import styles from './user-menu.module.css'

export function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const t = useMessages()
  const navigate = useNavigate()
  const logOut = useLogOut()
  const { user, roles } = useSession()
  return (
    <Menu
      label={t.frame.loggedInAs(user.name)}
      trigger={(properties) => (
        <Button look="quiet" icon="user" aria-label={t.frame.loggedInAs(user.name)} {...properties}>
          <span className={styles.name} title={user.name}>
            {user.name}
          </span>
        </Button>
      )}
    >
      <MenuHeading>
        {user.name} · {user.domain.name}
        <br />
        {roles.map((role) => roleText(t, role).label).join(', ')}
      </MenuHeading>
      <MenuLine />
      <MenuItem icon="key" onSelect={() => navigate({ to: '/me/keys' })}>
        {t.frame.myKeys}
      </MenuItem>
      <MenuItem icon="screen" onSelect={() => navigate({ to: '/me/sessions' })}>
        {t.frame.mySessions}
      </MenuItem>
      <MenuItem icon="check" onSelect={() => navigate({ to: '/me/factors' })}>
        {t.me.factors}
      </MenuItem>
      <MenuLine />
      <MenuItem icon="command" hint="?" onSelect={onHelp}>
        {t.frame.keyboard}
      </MenuItem>
      <MenuItem icon="external" onSelect={() => window.open('/docs', '_blank', 'noopener')}>
        {t.frame.reference}
      </MenuItem>
      <MenuLine />
      <MenuItem icon="close" onSelect={logOut}>
        {t.frame.logOut}
      </MenuItem>
    </Menu>
  )
}
