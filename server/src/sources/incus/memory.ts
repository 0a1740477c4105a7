import type { Json } from '../shared/json.ts'
import { createAccountMemories } from '../shared/account-memory.ts'
import { InstanceIndex } from './instance-index.ts'
import type { Lookups } from './lookups.ts'
import type { Resources } from './members.ts'

interface ReadState {
  readonly readAt: number
  /** Changes when the instance is started again. */
  readonly lastUsedAt: string
  readonly network: Json
}

/** What scans, events and single reads of an account share. */
export class Memory {
  readonly index: InstanceIndex
  /** Network interfaces of running instances, by path. */
  readonly states = new Map<string, ReadState>()
  /** By cluster member. */
  readonly resources = new Map<string, Resources>()
  lookups: Lookups | undefined

  constructor(fingerprint: string) {
    this.index = new InstanceIndex(fingerprint)
  }
}

export const acquireMemory = createAccountMemories((fingerprint) => new Memory(fingerprint))
