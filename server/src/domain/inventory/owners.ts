import { createCache, type CacheMemory } from '../cache.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import type { Owner, OwnerDirectory } from './ports.ts'

interface Known {
  readonly byProject: ReadonlyMap<string, Owner>
  readonly managedAccounts: ReadonlySet<string>
}

const nothing: Known = { byProject: new Map(), managedAccounts: new Set() }

/** Projects with their domains, and managed accounts, cached until the identity version changes. */
export function createOwners(
  directory: OwnerDirectory,
  identityVersion: IdentityVersion,
  memory: CacheMemory,
): Owners {
  const owners = createCache<string, number, Known>(
    memory,
    'owners',
    ({ byProject, managedAccounts }) => byProject.size * 300 + managedAccounts.size * 100,
  )
  const key = 'all'

  async function readAll(): Promise<Known> {
    const [all, managed] = await Promise.all([directory.all(), directory.managedAccounts()])
    return {
      byProject: new Map(all.map((owner) => [owner.projectId, owner])),
      managedAccounts: new Set(managed),
    }
  }

  async function find(): Promise<Known> {
    const version = identityVersion.current()
    return owners.get(key, version) ?? (await owners.load(key, version, readAll)) ?? nothing
  }

  return {
    /** The ids of accounts whose servers can be acted on. */
    managedAccounts: async () => (await find()).managedAccounts,
    byProject: async () => (await find()).byProject,
  }
}
export interface Owners {
  byProject(): Promise<ReadonlyMap<string, Owner>>
  managedAccounts(): Promise<ReadonlySet<string>>
  /** Whether the servers are those of a moment of the past. Names are those of today. */
  readonly isPast?: boolean
}
