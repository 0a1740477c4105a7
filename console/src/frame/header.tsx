import { Link } from '@tanstack/react-router'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './header.module.css'
import { LiveMark } from './live-mark.tsx'
import { AppearanceMenu } from './appearance-menu.tsx'
import { ScopeSwitcher } from './scope-switcher.tsx'
import { UserMenu } from './user-menu.tsx'

interface Props {
  readonly onPalette: () => void
  readonly onHelp: () => void
  readonly onNavigation: () => void
}

const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '

/** One line: where one is, where to type, who one is. */
export function Header({ onPalette, onHelp, onNavigation }: Props) {
  const t = useMessages()
  return (
    <header className={styles.header}>
      <div className={styles.toggle}>
        <Button
          look="quiet"
          icon="menu"
          label={t.frame.openNavigation}
          aria-controls="navigation"
          onClick={onNavigation}
        />
      </div>
      <Link to="/" className={styles.brand} aria-label={t.common.appName}>
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width="20" height="20" alt="" />
        <span className={styles.wordmark}>{t.common.appName}</span>
      </Link>
      <ScopeSwitcher />
      <button
        type="button"
        className={styles.search}
        onClick={onPalette}
        title={t.frame.openPalette}
      >
        <Icon name="search" />
        <span>{t.frame.searchOrRun}</span>
        <kbd>{modifier}K</kbd>
      </button>
      <LiveMark />
      <AppearanceMenu />
      <UserMenu onHelp={onHelp} />
    </header>
  )
}
