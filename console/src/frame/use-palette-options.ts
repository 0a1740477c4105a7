import { useQuery } from '@tanstack/react-query'
import { foundServersQuery } from '../api/queries/found-servers.ts'
import { typingPause } from '../form/use-debounced-input.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useValueNames } from '../servers/value-names.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import type { ServerCommand } from './chosen-action.tsx'
import {
  filterOption,
  matching,
  readCommand,
  serverOption,
  type PaletteOption,
} from './palette-options.ts'
import { chooseTheme } from './preferences.ts'
import { useEntityOptions, useScopeSwitches } from './use-entity-options.ts'
import { useLogOut } from './use-log-out.ts'
import { usePageOptions } from './use-page-options.ts'
import { useRecentOptions } from './use-recent-options.ts'

/** Each asks before it does something. */
const commands = ['start', 'stop', 'restart', 'suspend', 'resume', 'delete'] as const

interface Found {
  readonly options: readonly PaletteOption[]
  /** The places of options that are still asked for, before the others. */
  readonly pending: number
  readonly isSearching: boolean
  readonly hasFailed: boolean
}

const mostOfKind = 5

/** The options for a text: what the API finds, pages, actions. Without a text, what was opened last. */
export function usePaletteOptions(
  text: string,
  onCommand: (command: ServerCommand) => void,
): Found {
  const t = useMessages()
  const names = useValueNames()
  const typed = text.trim()
  const debounced = useDebounced(typed, typingPause)
  const command = readCommand(debounced, t.actions.names, commands)
  const {
    data = [],
    isPlaceholderData,
    isFetching,
    isError,
  } = useQuery(foundServersQuery(names.toApiQuery(command?.rest ?? debounced)))
  const pages = usePageOptions()
  const actions = useActions()
  const entities = useEntityOptions(() => typed !== '')
  const switches = useScopeSwitches()
  const recent = useRecentOptions(pages)

  if (typed === '') {
    const options = [...recent.options, ...pages, ...actions]
    return { options, pending: recent.pending, isSearching: false, hasFailed: false }
  }
  const servers = data.map((server) =>
    serverOption({ ...server, status: names.fullName('status', server.status ?? '') }, debounced),
  )
  const isOld = isPlaceholderData || debounced !== typed
  const typedCommand = readCommand(typed, t.actions.names, commands)
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
  // Results of an older text are filtered by the new one, since Enter opens the first. None is of another action.
  const stillMatching =
    command?.action === typedCommand?.action ? matching(onServers, typedCommand?.rest ?? typed) : []
  const options = [
    ...(isOld ? stillMatching : onServers),
    ...(typedCommand ? [] : [filterOption(t.frame.paletteFilter(typed), names.toApiQuery(typed))]),
    ...[switches, ...entities.groups].flatMap((some) => matching(some, typed).slice(0, mostOfKind)),
    ...matching(pages, typed),
    ...matching(actions, typed),
  ]
  return { options, pending: 0, isSearching: isFetching || debounced !== typed, hasFailed: isError }
}

function useActions(): readonly PaletteOption[] {
  const t = useMessages()
  const logOut = useLogOut()
  const action = { group: 'actions' } as const
  return [
    ...commands.map((name) => ({
      ...action,
      id: `command ${name}`,
      icon: 'servers' as const,
      name: t.frame.actOnServer(t.actions.names[name]),
      fill: `${t.actions.names[name]} `,
    })),
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
