import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { digestOfSettings } from '../shared/setting-values.ts'
import { InstanceIndex } from './instance-index.ts'
import type { Lookups } from './lookups.ts'
import type { Resources } from './members.ts'
import { LastResults } from './optional-reads.ts'
import type { Pool, Volume } from './storage.ts'

interface ReadState {
  readonly readAt: number
  /** Tells whether the instance was started since. */
  readonly lastUsedAt: string
  readonly network: Json
}

/** What scans, events and single reads of an account learn from each other. */
export interface AccountMemory {
  readonly index: InstanceIndex
  /** Network interfaces of running instances, by path. */
  readonly states: Map<string, ReadState>
  /** By cluster member. */
  readonly resources: LastResults<Resources>
  readonly pools: LastResults<Pool>
  /** Custom volumes by name, by pool and project. */
  readonly volumes: LastResults<ReadonlyMap<string, Volume>>
  lookups: Lookups | undefined
}

interface Entry {
  readonly memory: AccountMemory
  /** Open connections. */
  readonly users: Set<symbol>
}

/** A bound for accounts that were removed. Of those without a connection, the oldest goes first. */
const maxAccounts = 256
const entries = new Map<string, Entry>()

function forgetUnused(): void {
  for (const [key, { users }] of entries) {
    if (entries.size <= maxAccounts) return
    if (users.size === 0) entries.delete(key)
  }
}

/**
 * The memory of an account. Changed settings may show other instances, so they start with an empty one.
 * Release it when the connection closes.
 */
export function acquireMemory(
  settings: SourceSettings,
  { accountId }: Pick<SourceContext, 'accountId'>,
  daemon: string,
): { readonly memory: AccountMemory; release(): void } {
  const key = `${accountId} ${daemon} ${digestOfSettings(settings)}`
  const known = accountId === undefined ? undefined : entries.get(key)
  const entry = known ?? { memory: createMemory(daemon), users: new Set() }
  if (accountId === undefined) return { memory: entry.memory, release: () => {} }
  const user = Symbol(accountId)
  entry.users.add(user)
  entries.delete(key)
  entries.set(key, entry)
  forgetUnused()
  return {
    memory: entry.memory,
    release() {
      entry.users.delete(user)
      forgetUnused()
    },
  }
}

const createMemory = (daemon: string): AccountMemory => ({
  index: new InstanceIndex(daemon),
  states: new Map(),
  resources: new LastResults(),
  pools: new LastResults(),
  volumes: new LastResults(),
  lookups: undefined,
})
