import type { Api } from './api.ts'
import type { Daemon } from './daemon.ts'
import type { Memory } from './memory.ts'

/** An open connection and the memory of its account. */
export interface Connection {
  readonly api: Api
  readonly daemon: Daemon
  readonly memory: Memory
  /** The projects that the account is limited to; empty for all. */
  readonly projects: readonly string[]
  readonly clock: () => number
}
