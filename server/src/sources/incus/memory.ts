import type { Json } from '../shared/json.ts'
import { createAccountMemories } from '../shared/account-memory.ts'
import { InstanceIndex } from './instance-index.ts'
import type { Lookups, Network } from './lookups.ts'
import type { Member, Resources } from './members.ts'
import { LastResults } from '../shared/last-results.ts'
import type { Pool, Volume } from './storage.ts'

interface ReadState {
  readonly readAt: number
  /** Tells whether the instance was started since. */
  readonly lastUsedAt: string
  readonly network: Json
}

/** What scans, events and single reads of an account learn from each other. */
export class Memory {
  readonly index: InstanceIndex
  /** Network interfaces of running instances, by path. */
  readonly states = new Map<string, ReadState>()
  /** By cluster member. */
  readonly resources = new LastResults<Resources>()
  readonly members = new LastResults<readonly Omit<Member, keyof Resources>[]>()
  /** By the project that owns them. */
  readonly networks = new LastResults<readonly Network[]>()
  readonly pools = new LastResults<Pool>()
  /** Custom volumes by name, by pool and project. */
  readonly volumes = new LastResults<ReadonlyMap<string, Volume>>()
  lookups: Lookups | undefined

  constructor(fingerprint: string) {
    this.index = new InstanceIndex(fingerprint)
  }
}

export const acquireMemory = createAccountMemories((fingerprint) => new Memory(fingerprint))
