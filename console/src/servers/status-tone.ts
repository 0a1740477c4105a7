import type { Tone } from '../ui/status-mark.tsx'

const settled: Readonly<Record<string, Tone>> = {
  running: 'good',
  ready: 'idle',
  suspend: 'idle',
  unknown: 'warn',
}

/** On the way from one state to another; what fails ends in `_fail`. */
const transitional: ReadonlySet<string> = new Set([
  'init',
  'schedule',
  'network',
  'disk',
  'start_deploy',
  'deploying',
  'start_start',
  'starting',
  'start_stop',
  'stopping',
  'start_suspend',
  'suspending',
  'resuming',
  'start_delete',
  'deleting',
  'start_migrate',
  'migrating',
  'rebuild_root',
  'change_flavor',
  'resize_disk',
  'sync_config',
])

/** Whether a status is about to become another, so that it is worth looking again soon. */
export const isTransitional = (status: string): boolean => transitional.has(status)

/** How a server's status is marked. A word that nobody knows is no good news and no bad news. */
export function statusTone(status: string): Tone {
  if (isTransitional(status)) return 'busy'
  if (status.endsWith('_fail')) return 'bad'
  return Object.hasOwn(settled, status) ? (settled[status] ?? 'warn') : 'warn'
}
