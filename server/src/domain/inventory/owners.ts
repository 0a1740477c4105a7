import { createCache, type CacheMemory } from '../cache.ts'
import type { IdentityVersion } from '../identity/ports.ts'
import type { Owner, OwnerDirectory } from './ports.ts'

type OwnersByProject = ReadonlyMap<string, Owner>

/** Projects with their domains, cached until the identity version changes. */
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
  const key = 'all'

  const read = async () => new Map((await directory.all()).map((owner) => [owner.projectId, owner]))

  return {
    async byProject(): Promise<OwnersByProject> {
      const version = identityVersion.current()
      const known = owners.get(key, version) ?? (await owners.load(key, version, read))
      return known ?? new Map<string, Owner>()
    },
  }
}
export type Owners = ReturnType<typeof createOwners>
