import type { ServerAction } from '@muster/contract'
import type { SourceCall } from '../sources/action-port.ts'

/** The statuses that a server shows for an action: once accepted, once sent, and after a failure. */
const words: Readonly<
  Record<
    ServerAction,
    { readonly accepted: string; readonly sent: string; readonly failed: string }
  >
> = {
  start: { accepted: 'start_start', sent: 'starting', failed: 'start_fail' },
  stop: { accepted: 'start_stop', sent: 'stopping', failed: 'stop_fail' },
  restart: { accepted: 'stopping', sent: 'starting', failed: 'start_fail' },
  reset: { accepted: 'starting', sent: 'starting', failed: 'start_fail' },
  suspend: { accepted: 'start_suspend', sent: 'suspending', failed: 'suspend_failed' },
  resume: { accepted: 'resuming', sent: 'resuming', failed: 'resume_failed' },
  'change-config': {
    accepted: 'change_flavor',
    sent: 'change_flavor',
    failed: 'change_flavor_fail',
  },
  update: { accepted: 'sync_config', sent: 'sync_config', failed: 'sync_fail' },
  delete: { accepted: 'start_delete', sent: 'deleting', failed: 'delete_fail' },
  // They need no source.
  'cancel-delete': { accepted: '', sent: '', failed: '' },
  purge: { accepted: '', sent: '', failed: '' },
}

export const acceptedStatus = (action: ServerAction): string => words[action].accepted

/** A restart that Muster makes of two requests shows which of them is running. */
const isStopOfRestart = (action: ServerAction, call: SourceCall | undefined) =>
  action === 'restart' && call?.kind === 'stop'

export const sentStatus = (action: ServerAction, call: SourceCall): string =>
  isStopOfRestart(action, call) ? 'stopping' : words[action].sent

export const failedStatus = (action: ServerAction, call: SourceCall | undefined): string =>
  isStopOfRestart(action, call) ? 'stop_fail' : words[action].failed

const settled: ReadonlySet<string> = new Set(['running', 'ready', 'suspend', 'unknown'])

/** Whether nothing is in progress at the source. */
export const isSettledStatus = (status: string): boolean =>
  settled.has(status) || /_fail(?:ed)?$/.test(status)

const names: Readonly<Record<string, string>> = {
  running: 'running',
  ready: 'stopped',
  suspend: 'suspended',
  unknown: 'in an unknown state',
}

/** A status for people. */
export const nameOfStatus = (status: string): string => names[status] ?? `in the status "${status}"`
