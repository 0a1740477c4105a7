import { useQuery, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { typingPause } from '../form/use-debounced-input.ts'
import { inventoryKinds } from '../inventory/kinds.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { navigationItems } from './navigation.tsx'
import { matching, serverOption, type PaletteOption } from './palette-options.ts'
import { chooseTheme } from './preferences.ts'
import { useLogOut } from './use-log-out.ts'
import { api } from '../api/client.ts'

/** The options for a text: servers that the API finds, pages, actions. */
export function usePaletteOptions(text: string): {
  readonly options: readonly PaletteOption[]
  readonly isSearching: boolean
  readonly hasFailed: boolean
} {
  const t = useMessages()
  const navigate = useNavigate()
  const logOut = useLogOut()
  const names = useValueNames()
  const typed = text.trim()
  const debounced = useDebounced(typed, typingPause)
  const {
    data = [],
    isPlaceholderData,
    isFetching,
    isError,
  } = useQuery(findServersQuery(names.toApiQuery(debounced)))

  const pages: readonly PaletteOption[] = [
    ...navigationItems
      .filter(({ name }) => name !== 'infrastructure')
      .map(({ to, name, icon }) => ({
        id: to,
        group: 'pages' as const,
        icon,
        name: t.frame[name],
        run: () => void navigate({ to }),
      })),
    ...inventoryKinds.map((kind) => ({
      id: kind,
      group: 'pages' as const,
      icon: 'layers' as const,
      name: t.infrastructure.kinds[kind],
      hint: t.frame.infrastructure,
      run: () => void navigate({ to: '/infrastructure/$kind', params: { kind } }),
    })),
    {
      id: 'keys',
      group: 'pages',
      icon: 'key',
      name: t.frame.myKeys,
      run: () => void navigate({ to: '/me/keys' }),
    },
    {
      id: 'sessions',
      group: 'pages',
      icon: 'screen',
      name: t.frame.mySessions,
      run: () => void navigate({ to: '/me/sessions' }),
    },
  ]
  const actions: readonly PaletteOption[] = [
    ...(['light', 'dark', 'system'] as const).map((name) => ({
      id: name,
      group: 'actions' as const,
      icon: 'sun' as const,
      name: `${t.frame.theme}: ${t.frame[name]}`,
      run: () => chooseTheme(name),
    })),
    {
      id: 'out',
      group: 'actions',
      icon: 'close',
      name: t.frame.logOut,
      run: logOut,
    },
  ]
  const filter: PaletteOption = {
    id: 'filter',
    group: 'servers',
    icon: 'filter',
    name: t.frame.paletteFilter(typed),
    run: () => void navigate({ to: '/servers', search: { q: names.toApiQuery(typed) } }),
  }
  if (typed === '') return { options: [...pages, ...actions], isSearching: false, hasFailed: false }
  const open = (id: string) => void navigate({ to: '/servers/$id', params: { id } })
  const servers = data.map((server) =>
    serverOption({ ...server, status: names.fullName('status', server.status ?? '') }, open),
  )
  const isSearching = isFetching || debounced !== typed
  const options = [
    // Results of an older text are filtered by the new one, since Enter opens the first.
    ...(isPlaceholderData || debounced !== typed ? matching(servers, typed) : servers),
    filter,
    ...matching(pages, typed),
    ...matching(actions, typed),
  ]
  return { options, isSearching, hasFailed: isError }
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
