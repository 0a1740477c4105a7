import { ApiError } from '@muster/sdk'
import { CancelledError } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { GuardedShell } from './frame/guarded-shell.tsx'
import { watchConnection } from './api/connection.ts'
import { onSessionEnd, type SessionEnd } from './api/end-session.ts'
import { sessionQuery } from './api/queries/session.ts'
import { queryClient } from './api/query-client.ts'
import { isOutage, noAnswer } from './api/query-result.ts'
import { lazyPage } from './pages/lazy-page.ts'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { PageError } from './pages/page-error.tsx'
import { PagePending } from './pages/page-pending.tsx'
import { SessionPending } from './pages/session-pending.tsx'
import { forgetSession, rememberedSession } from './session/remembered-session.ts'
import { resolveMoment } from './url/read-moment.ts'
import { parseSearch, stringifySearch, type Search } from './url/search.ts'

/** These are in one file, see `vite.config.ts`. */
const otherPages = () => import('./other-pages.ts')

/** A moment of the past becomes a time, so that all pages and requests are about the same one. */
const validateSearch = ({ as_of: asOf, ...search }: Record<string, unknown>): Search => ({
  ...(search as Search),
  ...(typeof asOf === 'string' && { as_of: resolveMoment(asOf, Date.now()) }),
})

const root = createRootRoute({ validateSearch })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyPage(() => import('./pages/login/login-page.tsx'), 'LoginPage'),
})

const firstPassword = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyPage(() => import('./pages/login/first-password-page.tsx'), 'FirstPasswordPage'),
})

/** All other pages need a login, which then returns to the wanted page. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: GuardedShell,
  pendingComponent: SessionPending,
  async loader({ location }) {
    const stopWatching = watchConnection()
    try {
      return await queryClient.ensureQueryData(sessionQuery)
    } catch (error) {
      const isSilent = error instanceof CancelledError
      const known = isSilent || isOutage(error) ? rememberedSession() : undefined
      // The frame appears at once, and the page shows what fails. The session is loaded in parallel.
      if (known) return queryClient.setQueryData(sessionQuery.queryKey, known, { updatedAt: 1 })
      // The connection monitor cancels requests that hang.
      if (isSilent) throw noAnswer
      if (!(error instanceof ApiError && error.status === 401)) throw error
      forgetSession()
      const { pathname, searchStr } = location
      const next = `${pathname}${searchStr}`
      throw redirect({ to: '/login', search: next === '/' ? {} : { next } })
    } finally {
      stopWatching()
    }
  },
})

/** Of pages that can show the past: links between them stay at its moment. */
const keepsMoment = { search: { middlewares: [retainSearchParams<Search>(['as_of'])] } }

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  ...keepsMoment,
  component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
})
const servers = createRoute({
  getParentRoute: () => frame,
  path: '/servers',
  ...keepsMoment,
  component: lazyPage(() => import('./pages/servers/servers-page.tsx'), 'ServersPage'),
})
const server = createRoute({
  getParentRoute: () => frame,
  path: '/servers/$id',
  ...keepsMoment,
  component: lazyPage(() => import('./pages/server/server-page.tsx'), 'ServerPage'),
})
const serverTab = createRoute({
  getParentRoute: () => frame,
  path: '/servers/$id/$tab',
  ...keepsMoment,
  component: lazyPage(() => import('./pages/server/server-page.tsx'), 'ServerPage'),
})
const changes = createRoute({
  getParentRoute: () => frame,
  path: '/changes',
  component: lazyPage(otherPages, 'ChangesPage'),
})
const infrastructure = createRoute({
  getParentRoute: () => frame,
  path: '/infrastructure',
  ...keepsMoment,
  beforeLoad: () => {
    throw redirect({ to: '/infrastructure/$kind', params: { kind: 'hosts' }, replace: true })
  },
})
const infrastructureKind = createRoute({
  getParentRoute: () => frame,
  path: '/infrastructure/$kind',
  ...keepsMoment,
  component: lazyPage(otherPages, 'InfrastructurePage'),
})
const infrastructureResource = createRoute({
  getParentRoute: () => frame,
  path: '/infrastructure/$kind/$id',
  ...keepsMoment,
  component: lazyPage(otherPages, 'ResourcePage'),
})
const accounts = createRoute({
  getParentRoute: () => frame,
  path: '/accounts',
  component: lazyPage(otherPages, 'AccountsPage'),
})
const newAccount = createRoute({
  getParentRoute: () => frame,
  path: '/accounts/new',
  component: lazyPage(otherPages, 'NewAccountPage'),
})
const account = createRoute({
  getParentRoute: () => frame,
  path: '/accounts/$id',
  component: lazyPage(otherPages, 'AccountPage'),
})
const locationsPage = createRoute({
  getParentRoute: () => frame,
  path: '/locations',
  ...keepsMoment,
  component: lazyPage(() => import('./pages/locations/locations-page.tsx'), 'LocationsPage'),
})
/** The page's address before it was renamed. */
const oldLocations = createRoute({
  getParentRoute: () => frame,
  path: '/places',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/locations', search, replace: true })
  },
})
const identity = createRoute({
  getParentRoute: () => frame,
  path: '/identity',
  beforeLoad: () => {
    throw redirect({ to: '/identity/$kind', params: { kind: 'projects' }, replace: true })
  },
})
const identityKind = createRoute({
  getParentRoute: () => frame,
  path: '/identity/$kind',
  component: lazyPage(otherPages, 'IdentityPage'),
})
const identityEntity = createRoute({
  getParentRoute: () => frame,
  path: '/identity/$kind/$id',
  component: lazyPage(otherPages, 'IdentityEntityPage'),
})
const tasks = createRoute({
  getParentRoute: () => frame,
  path: '/tasks',
  component: lazyPage(otherPages, 'TasksPage'),
})
const activity = createRoute({
  getParentRoute: () => frame,
  path: '/activity',
  component: lazyPage(otherPages, 'ActivityPage'),
})
const checks = createRoute({
  getParentRoute: () => frame,
  path: '/checks',
  component: lazyPage(otherPages, 'ChecksPage'),
})
const check = createRoute({
  getParentRoute: () => frame,
  path: '/checks/$id',
  component: lazyPage(otherPages, 'CheckPage'),
})
const compare = createRoute({
  getParentRoute: () => frame,
  path: '/compare',
  component: lazyPage(otherPages, 'ComparePage'),
})
const keys = createRoute({
  getParentRoute: () => frame,
  path: '/me/keys',
  component: lazyPage(otherPages, 'KeysPage'),
})
const sessions = createRoute({
  getParentRoute: () => frame,
  path: '/me/sessions',
  component: lazyPage(otherPages, 'SessionsPage'),
})
const factors = createRoute({
  getParentRoute: () => frame,
  path: '/me/factors',
  component: lazyPage(otherPages, 'FactorsPage'),
})
const logins = createRoute({
  getParentRoute: () => frame,
  path: '/me/logins',
  component: lazyPage(otherPages, 'LoginsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    firstPassword,
    frame.addChildren([
      overview,
      servers,
      server,
      serverTab,
      changes,
      infrastructure,
      infrastructureKind,
      infrastructureResource,
      accounts,
      newAccount,
      account,
      locationsPage,
      oldLocations,
      identity,
      identityKind,
      identityEntity,
      tasks,
      activity,
      checks,
      check,
      compare,
      keys,
      sessions,
      factors,
      logins,
    ]),
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultNotFoundComponent: NotFoundPage,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PagePending,
  defaultPreload: 'intent',
  scrollRestoration: true,
  scrollToTopSelectors: ['#content'],
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** When a session ends, show the login page, which then returns to this page. */
onSessionEnd((ending: SessionEnd) => {
  forgetSession()
  const { pathname, searchStr } = router.state.location
  if (pathname === '/login' || pathname === '/password') return
  const here = `${pathname}${searchStr}`
  const next = ending === 'out' || here === '/' ? {} : { next: here }
  void router.navigate({
    to: '/login',
    search: { ...next, why: ending },
    ignoreBlocker: true,
  })
})
