/** How long a process may be silent, and a request to a source may take, in milliseconds. */
export interface TaskLimits {
  /** A process that has not renewed its lease by then is dead, and another one takes over. */
  readonly leaseDuration: number
  readonly callLimit: number
  /** After the time limit of a request without an answer, until an unchanged server means that it failed. */
  readonly settleTime: number
}

export const defaultTaskLimits: TaskLimits = {
  leaseDuration: 15_000,
  callLimit: 20_000,
  settleTime: 15_000,
}
