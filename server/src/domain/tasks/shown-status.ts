import type { ServerAction } from '@muster/contract'
import type { SourceCall } from '../sources/action-port.ts'

/** The statuses that a server shows for an action: once accepted, and once sent. */
const words: Readonly<Record<ServerAction, { readonly accepted: string; readonly sent: string }>> =
  {
    start: { accepted: 'start_start', sent: 'starting' },
    stop: { accepted: 'start_stop', sent: 'stopping' },
    restart: { accepted: 'stopping', sent: 'starting' },
    reset: { accepted: 'starting', sent: 'starting' },
    suspend: { accepted: 'start_suspend', sent: 'suspending' },
    resume: { accepted: 'resuming', sent: 'resuming' },
    'change-config': {
      accepted: 'change_flavor',
      sent: 'change_flavor',
    },
    update: { accepted: 'sync_config', sent: 'sync_config' },
    delete: { accepted: 'start_delete', sent: 'deleting' },
    // Actions that need no request to the source.
    'cancel-delete': { accepted: '', sent: '' },
    purge: { accepted: '', sent: '' },
  }

export const acceptedStatus = (action: ServerAction): string => words[action].accepted

/** A restart that Muster makes of two requests shows which of them is running. */
export const sentStatus = (action: ServerAction, call: SourceCall): string =>
  action === 'restart' && call.kind === 'stop' ? 'stopping' : words[action].sent

const settled: ReadonlySet<string> = new Set(['running', 'ready', 'suspend', 'unknown'])

/** Whether nothing is in progress at the source. */
export const isSettledStatus = (status: string): boolean =>
  settled.has(status) || /_fail(?:ed)?$/.test(status)

const names: Readonly<Record<string, string>> = {
  running: 'running',
  ready: 'stopped',
  suspend: 'suspended',
  unknown: 'in an unknown state',
  deleted: 'deleted',
}

/** The status as text for people. */
export const nameOfStatus = (status: string): string => names[status] ?? `in the status "${status}"`
