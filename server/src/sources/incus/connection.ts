import type { Api } from './api.ts'
import type { AccountMemory } from './account-memory.ts'
import type { Daemon } from './daemon.ts'

/** An open connection with what its account has learned. */
export interface Connection {
  readonly api: Api
  readonly daemon: Daemon
  readonly memory: AccountMemory
  /** The projects that the account is limited to; empty for all. */
  readonly projects: readonly string[]
  readonly clock: () => number
}
