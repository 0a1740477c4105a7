import type { TaskLimits } from '../composition/task-limits.ts'

/** Long enough for a busy machine to renew a lease in time. */
export const shortTaskLimits: TaskLimits = {
  leaseDuration: 4_000,
  callLimit: 2_500,
  settleTime: 1_000,
}
