import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { digestOfSettings } from './setting-values.ts'

interface Entry<Memory> {
  readonly memory: Memory
  /** Open connections. */
  readonly users: Set<symbol>
}

/**
 * Limits the memory of removed accounts. Of those without a connection, the oldest entry is dropped first.
 */
const maxAccounts = 256

/** Keeps what scans, events and single reads of an account share, for longer than a connection. */
export function createAccountMemories<Memory>(create: (installation: string) => Memory) {
  const entries = new Map<string, Entry<Memory>>()

  function forgetUnused(): void {
    for (const [key, { users }] of entries) {
      if (entries.size <= maxAccounts) return
      if (users.size === 0) entries.delete(key)
    }
  }

  /**
   * The memory of an account. Changed settings may show other servers, so they start with a new one. Release it when
   * the connection closes.
   */
  return function acquireMemory(
    settings: SourceSettings,
    { accountId }: Pick<SourceContext, 'accountId'>,
    /** Identifies what is behind the address. */
    installation: string,
  ): { readonly memory: Memory; release(): void } {
    // Settings that are only tested belong to no account.
    if (accountId === undefined) return { memory: create(installation), release: () => {} }
    const key = `${accountId} ${installation} ${digestOfSettings(settings)}`
    const entry = entries.get(key) ?? { memory: create(installation), users: new Set() }
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
}
