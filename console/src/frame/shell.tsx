import { Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState, Suspense, useSyncExternalStore } from 'react'
import { useQuery } from '@tanstack/react-query'
import { isCodeRequested, subscribeToCodeRequests } from '../api/code-request.ts'
import { useConnection } from '../api/connection.ts'
import { preloadPages, lazyPage } from '../pages/lazy-page.ts'
import { rememberSession } from '../session/remembered-session.ts'
import { isOwnSwitch } from '../session/switch-scope.ts'
import { useSession } from '../session/use-session.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { ChosenAction, type ServerCommand } from './chosen-action.tsx'
import { Header } from './header.tsx'
import { LogOutError } from './log-out-error.tsx'
import { Navigation } from './navigation.tsx'
import { RouteAnnouncer } from './route-announcer.tsx'
import styles from './shell.module.css'
import { useRememberVisits } from './use-remember-visits.ts'
import { useShortcut } from './use-shortcut.ts'
import { trackedTasksQuery } from '../api/queries/tracked-tasks.ts'
import { usePermission } from '../session/use-permission.ts'
import { showToast } from '../ui/show-toast.ts'

/** Their code is loaded after the first page. */
const HelpDialog = lazyPage(() => import('./help-dialog.tsx'), 'HelpDialog')
const Palette = lazyPage(() => import('./palette.tsx'), 'Palette')
const ResetNotice = lazyPage(() => import('../other-pages.ts'), 'ResetNotice')
const CodeDialog = lazyPage(() => import('../other-pages.ts'), 'CodeDialog')
const TaskDrawer = lazyPage(() => import('../actions/task-drawer.tsx'), 'TaskDrawer')

/** The drawer of tasks, while there are any. */
function FollowedTasks() {
  const { allowed } = usePermission('listTasks')
  const { data } = useQuery({ ...trackedTasksQuery, enabled: allowed })
  if (!data || data.items.length === 0) return null
  return (
    <Suspense>
      <TaskDrawer items={data.items} />
    </Suspense>
  )
}

/** The page that was opened comes first. */
const preloadAfter = 2_000

/** The layout around every page after login. */
export function Shell() {
  const t = useMessages()
  const session = useSession()
  const { scope, second_factor: factor } = session
  const needsCode = useSyncExternalStore(subscribeToCodeRequests, isCodeRequested)
  useEffect(() => rememberSession(session), [session])
  const [open, setOpen] = useState<'palette' | 'help' | 'navigation' | undefined>()
  const [command, setCommand] = useState<ServerCommand>()
  const close = () => setOpen(undefined)
  useShortcut('mod+k', () => setOpen('palette'))
  useShortcut('?', () => setOpen('help'))
  useShortcut('/', () => {
    const box = document.querySelector<HTMLElement>('[data-find]')
    if (box) box.focus()
    else setOpen('palette')
  })
  useGoShortcuts()
  usePreload()
  useSwitchNotice()
  useRememberVisits()
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t.common.skipToContent}
      </a>
      <Header
        onPalette={() => setOpen('palette')}
        onHelp={() => setOpen('help')}
        onNavigation={() => setOpen(open === 'navigation' ? undefined : 'navigation')}
      />
      <ConnectionBanner />
      <Navigation isOpen={open === 'navigation'} onLeave={close} />
      <main id="content" className={styles.main} tabIndex={-1}>
        {factor.reset && (
          <Suspense>
            <ResetNotice reset={factor.reset} />
          </Suspense>
        )}
        {/* What a page holds is of one project: it begins anew in another. */}
        <Outlet key={scope.id} />
      </main>
      <FollowedTasks />
      <RouteAnnouncer />
      <Suspense>
        {open === 'palette' && <Palette onClose={close} onCommand={setCommand} />}
        {open === 'help' && <HelpDialog onClose={close} />}
        {needsCode && <CodeDialog />}
      </Suspense>
      {command && <ChosenAction command={command} onClose={() => setCommand(undefined)} />}
      <LogOutError />
    </div>
  )
}

/** All tabs show the same project: says that another tab switched it. */
function useSwitchNotice(): void {
  const { frame: t } = useMessages()
  const { scope } = useSession()
  const before = useRef(scope.id)
  useEffect(() => {
    const isSwitched = before.current !== scope.id && !isOwnSwitch(scope.id)
    if (isSwitched) showToast(t.switchedElsewhere(scope.name))
    before.current = scope.id
  }, [scope, t])
}

/** Preloads only while the API responds, because failed code cannot be loaded again. */
function usePreload(): void {
  const { isConnected } = useConnection()
  useEffect(() => {
    if (!isConnected) return
    const timer = setTimeout(() => void preloadPages().catch(() => {}), preloadAfter)
    return () => clearTimeout(timer)
  }, [isConnected])
}

/** `g` and the first letter of the page; `h` for hosts, `e` for the events of the activity page. */
function useGoShortcuts(): void {
  const navigate = useNavigate()
  useShortcut('g o', () => navigate({ to: '/' }))
  useShortcut('g s', () => navigate({ to: '/servers' }))
  useShortcut('g c', () => navigate({ to: '/changes' }))
  useShortcut('g h', () => navigate({ to: '/infrastructure' }))
  useShortcut('g a', () => navigate({ to: '/accounts' }))
  useShortcut('g l', () => navigate({ to: '/locations' }))
  useShortcut('g i', () => navigate({ to: '/identity' }))
  useShortcut('g t', () => navigate({ to: '/tasks' }))
  useShortcut('g e', () => navigate({ to: '/activity' }))
}
