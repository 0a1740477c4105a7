import { Link } from '@tanstack/react-router'
import { useConnection } from '../api/connection.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import styles from './header.module.css'
import { AppearanceMenu } from './appearance-menu.tsx'
import { UserMenu } from './user-menu.tsx'
import { useState } from 'react'
import { useSession } from '../session/use-session.ts'
import { ScopeDialog } from './scope-dialog.tsx'
import scopeSwitcherStyles from './scope-switcher.module.css'

interface Props {
  readonly onPalette: () => void
  readonly onHelp: () => void
  readonly onNavigation: () => void
}

const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '

/** The header: project, search, and user menu. */
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
        <span>{t.frame.searchOrJump}</span>
        <kbd>{modifier}K</kbd>
      </button>
      <LiveMark />
      <AppearanceMenu />
      <UserMenu onHelp={onHelp} />
    </header>
  )
}

/** Always visible, because looking in the wrong project is the most common mistake. */
function ScopeSwitcher() {
  const t = useMessages()
  const { scope } = useSession()
  const [isOpen, setOpen] = useState(false)
  const kind = scope.kind === 'domain' ? t.frame.domain : t.frame.project
  return (
    <>
      <Button
        className={scopeSwitcherStyles.trigger}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <span className={scopeSwitcherStyles.current} title={scope.name}>
          <span className={scopeSwitcherStyles.kind}>{kind}: </span>
          {scope.name === '' ? t.frame.noScope : scope.name}
          {scope.kind === 'project' && (
            <span className={scopeSwitcherStyles.kind}> · {scope.domain.name}</span>
          )}
        </span>
        <Icon name="down" size={12} />
      </Button>
      {isOpen && <ScopeDialog onClose={() => setOpen(false)} />}
    </>
  )
}

/** Shows that the page updates automatically. `ConnectionBanner` replaces it while it cannot. */
function LiveMark() {
  const t = useMessages()
  const connection = useConnection()
  const isLive = connection.isConnected && connection.waitingSince === undefined
  return (
    <span className={styles.live} role="status" title={t.connection.liveHint}>
      {isLive && <StatusMark tone="good">{t.connection.live}</StatusMark>}
    </span>
  )
}
