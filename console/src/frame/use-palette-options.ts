import { useQuery, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { typingPause } from '../form/use-debounced-input.ts'
import { inventoryKinds } from '../inventory/kinds.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import { usePermissions } from '../session/use-permission.ts'
import { useSession } from '../session/use-session.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import type { ServerCommand } from './chosen-action.tsx'
import { navigationItems } from './navigation.tsx'
import {
  matching,
  readCommand,
  serverOption,
  type PageOption,
  type PaletteOption,
} from './palette-options.ts'
import { chooseTheme } from './preferences.ts'
import { recentOptions } from './recent-options.ts'
import { useEntityOptions } from './use-entity-options.ts'
import { useLogOut } from './use-log-out.ts'
import { api } from '../api/client.ts'

/** Each asks before it does something. */
const commands = ['start', 'stop', 'restart', 'suspend', 'resume', 'delete'] as const

interface Found {
  readonly options: readonly PaletteOption[]
  readonly isSearching: boolean
  readonly hasFailed: boolean
}

/** The options for a text: what the API finds, pages, actions. Without a text, what was opened last. */
export function usePaletteOptions(
  text: string,
  onCommand: (command: ServerCommand) => void,
): Found {
  const t = useMessages()
  const names = useValueNames()
  const { user } = useSession()
  const typed = text.trim()
  const debounced = useDebounced(typed, typingPause)
  const command = readCommand(debounced, t.actions.names, commands)
  const {
    data = [],
    isPlaceholderData,
    isFetching,
    isError,
  } = useQuery(findServersQuery(names.toApiQuery(command?.rest ?? debounced)))
  const pages = usePages()
  const actions = useActions()
  const entities = useEntityOptions(typed)

  if (typed === '') {
    const options = [...recentOptions(user.id), ...pages, ...actions]
    return { options, isSearching: false, hasFailed: false }
  }
  const servers = data.map((server) =>
    serverOption({ ...server, status: names.fullName('status', server.status ?? '') }, debounced),
  )
  const isOld = isPlaceholderData || debounced !== typed
  const onServers: readonly PaletteOption[] = command
    ? data.map((server) => ({
        id: `${command.action} ${server.id}`,
        group: 'actions',
        icon: 'servers',
        name: `${t.actions.on(t.actions.names[command.action], server.name ?? '')}…`,
        hint: server.project ?? '',
        run: () => onCommand({ id: server.id ?? '', action: command.action }),
      }))
    : servers
  const filter: PageOption = {
    id: 'filter',
    group: 'servers',
    icon: 'filter',
    name: t.frame.paletteFilter(typed),
    href: `/servers?${new URLSearchParams({ q: names.toApiQuery(typed) }).toString()}`,
  }
  const options = [
    // Results of an older text are filtered by the new one, since Enter opens the first.
    ...(isOld ? matching(onServers, command?.rest ?? typed) : onServers),
    ...(command ? [] : [filter]),
    ...entities,
    ...matching(pages, typed),
    ...matching(actions, typed),
  ]
  return { options, isSearching: isFetching || debounced !== typed, hasFailed: isError }
}

function usePages(): readonly PageOption[] {
  const t = useMessages()
  const page = { group: 'pages' } as const
  return [
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
    { ...page, id: 'keys', icon: 'key', name: t.frame.myKeys, href: '/me/keys' },
    { ...page, id: 'sessions', icon: 'screen', name: t.frame.mySessions, href: '/me/sessions' },
  ]
}

function useActions(): readonly PaletteOption[] {
  const t = useMessages()
  const logOut = useLogOut()
  const permission = usePermissions()
  const action = { group: 'actions' } as const
  return [
    ...commands.map((name) => ({
      ...action,
      id: `command ${name}`,
      icon: 'servers' as const,
      name: t.frame.actOnServer(t.actions.names[name]),
      fill: `${t.actions.names[name]} `,
    })),
    ...(permission('createCloudAccount').allowed
      ? [
          {
            ...action,
            id: 'attach',
            icon: 'cloud' as const,
            name: t.accounts.attach,
            href: '/accounts/new',
          },
        ]
      : []),
    ...(['light', 'dark', 'system'] as const).map((name) => ({
      ...action,
      id: name,
      icon: 'sun' as const,
      name: `${t.frame.theme}: ${t.frame[name]}`,
      run: () => chooseTheme(name),
    })),
    { ...action, id: 'out', icon: 'close', name: t.frame.logOut, run: logOut },
  ]
}

const most = 8

/** A few servers that match the text. */
const findServersQuery = (q: string) =>
  queryOptions({
    queryKey: ['servers', 'find', q],
    queryFn: async ({ signal }) => {
      const field = ['id', 'name', 'ips', 'project', 'status']
      const { servers } = await api.listServers({
        query: { q, limit: most, scope: 'max', details: true, field },
        signal,
      })
      return servers
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
