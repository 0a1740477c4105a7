import { createCache, type CacheMemory } from '../cache.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import type { Owner, OwnerDirectory } from './ports.ts'

type OwnersByProject = ReadonlyMap<string, Owner>

/** Projects with their domains, and managed accounts, cached until the identity version changes. */
export function createOwners(
  directory: OwnerDirectory,
  identityVersion: IdentityVersion,
  memory: CacheMemory,
) {
  const owners = createCache<string, number, OwnersByProject>(
    memory,
    'owners',
    ({ size }) => size * 300,
  )
  const managed = createCache<string, number, ReadonlySet<string>>(
    memory,
    'managed_accounts',
    ({ size }) => size * 100,
  )
  const key = 'all'

  const read = async () => new Map((await directory.all()).map((owner) => [owner.projectId, owner]))

  const readManaged = async () => new Set(await directory.managedAccounts())

  return {
    /** The ids of accounts whose servers can be acted on. */
    async managedAccounts(): Promise<ReadonlySet<string>> {
      const version = identityVersion.current()
      const known = managed.get(key, version) ?? (await managed.load(key, version, readManaged))
      return known ?? new Set()
    },
    async byProject(): Promise<OwnersByProject> {
      const version = identityVersion.current()
      const known = owners.get(key, version) ?? (await owners.load(key, version, read))
      return known ?? new Map<string, Owner>()
    },
  }
}
export type Owners = ReturnType<typeof createOwners>
