import { hash } from 'node:crypto'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { InstanceIndex } from './instance-index.ts'
import type { Lookups } from './lookups.ts'

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
  lookups: Lookups | undefined
}

/** A bound for accounts that were removed; the oldest goes first. */
const maxAccounts = 256
const memories = new Map<string, AccountMemory>()

/** Changed settings may show other instances, so they start with an empty memory. */
export function memoryOfAccount(
  settings: SourceSettings,
  { accountId }: Pick<SourceContext, 'accountId'>,
  daemon: string,
): AccountMemory {
  const { address, credentials, options } = settings
  const key = hash('sha256', JSON.stringify([accountId, daemon, address, credentials, options]))
  const known = accountId === undefined ? undefined : memories.get(key)
  const memory = known ?? {
    index: new InstanceIndex(daemon),
    states: new Map(),
    lookups: undefined,
  }
  if (accountId === undefined) return memory
  memories.delete(key)
  memories.set(key, memory)
  const [oldest] = memories.keys()
  if (memories.size > maxAccounts && oldest !== undefined) memories.delete(oldest)
  return memory
}
