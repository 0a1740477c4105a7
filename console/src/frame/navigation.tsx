import { Link } from '@tanstack/react-router'
import { useMessages } from '../messages/use-messages.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './navigation.module.css'
import { useShortcut } from './use-shortcut.ts'

export const navigationItems = [
  { to: '/', name: 'overview', icon: 'chart' },
  { to: '/servers', name: 'servers', icon: 'servers' },
  { to: '/changes', name: 'changes', icon: 'changes' },
  { to: '/tasks', name: 'tasks', icon: 'tasks' },
  { to: '/infrastructure', name: 'infrastructure', icon: 'layers' },
  { to: '/accounts', name: 'accounts', icon: 'cloud' },
  { to: '/locations', name: 'locations', icon: 'pin' },
  { to: '/identity', name: 'identity', icon: 'user' },
  { to: '/activity', name: 'activity', icon: 'activity' },
] as const

interface Props {
  readonly isOpen: boolean
  readonly onLeave: () => void
}

/** On wide screens at the side, on narrow screens opened from the header. */
export function Navigation({ isOpen, onLeave }: Props) {
  const t = useMessages()
  useShortcut('Escape', onLeave, isOpen)
  return (
    <nav
      id="navigation"
      aria-label={t.frame.navigation}
      className={isOpen ? `${styles.nav} ${styles.open}` : styles.nav}
    >
      <ul className={styles.list}>
        {navigationItems.map(({ to, name, icon }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles.link}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              onClick={onLeave}
            >
              <Icon name={icon} />
              {t.frame[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
