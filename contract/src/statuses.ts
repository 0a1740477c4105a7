/** Statuses without their schemas, so that the console can import them. */

/** The statuses of servers, by what they mean. Sources may report others: those are unknown. */
export const serverStatuses = {
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
} as const

export const taskStatuses = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'unknown',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const batchStatuses = ['running', 'finished', 'stopped', 'cancelled'] as const
export type BatchStatus = (typeof batchStatuses)[number]
