import type { Tone } from '../ui/status-mark.tsx'

export const statusGroups = ['running', 'stopped', 'changing', 'failed', 'unknown'] as const
export type StatusGroup = (typeof statusGroups)[number]

/** The API's statuses. Sources may report others: those are unknown. */
export const statusesIn: Readonly<Record<StatusGroup, readonly string[]>> = {
  running: ['running'],
  stopped: ['ready', 'suspend'],
  changing: [
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
  ],
  failed: [
    'sched_fail',
    'net_fail',
    'disk_fail',
    'deploy_fail',
    'start_fail',
    'stop_fail',
    'delete_fail',
    'suspend_failed',
    'resume_failed',
    'change_flavor_fail',
    'sync_fail',
  ],
  unknown: ['unknown'],
}

const groups = new Map(
  statusGroups.flatMap((group) => statusesIn[group].map((status) => [status, group] as const)),
)

/** Whether servers can have this status. Networks, regions and zones have others. */
export const isServerStatus = (status: string): boolean => groups.has(status)

export const groupOfStatus = (status: string): StatusGroup => groups.get(status) ?? 'unknown'

/** One colour and shape per group, in lists and charts alike. */
export const groupTones: Readonly<Record<StatusGroup, Tone>> = {
  running: 'good',
  stopped: 'idle',
  changing: 'busy',
  failed: 'bad',
  unknown: 'warn',
}

/** The statuses of networks, regions, zones, managers and hosts that servers do not have. */
export const otherTones: ReadonlyMap<string, Tone> = new Map([
  ['available', 'good'],
  ['inservice', 'good'],
  ['enable', 'good'],
  ['connected', 'good'],
  ['maintaining', 'busy'],
  ['disable', 'idle'],
  ['soldout', 'warn'],
  ['down', 'bad'],
  ['outofservice', 'bad'],
  ['disconnected', 'bad'],
])

export const statusTone = (status: string): Tone =>
  otherTones.get(status) ?? groupTones[groupOfStatus(status)]

/** Whether a status will soon become another one, so that lists refresh more often. */
export const isTransitional = (status: string): boolean => groupOfStatus(status) === 'changing'
