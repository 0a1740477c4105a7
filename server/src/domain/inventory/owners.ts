import type { IdentityVersion } from '../identity/ports.ts'
import { createVersionedCache } from '../identity/versioned-cache.ts'
import type { Owner, OwnerDirectory } from './ports.ts'

/** Projects with their domains, cached until the identity version changes. */
export function createOwners(directory: OwnerDirectory, identityVersion: IdentityVersion) {
  const cache = createVersionedCache<ReadonlyMap<string, Owner>>(identityVersion, 1)
  const key = 'owners'

  const readOwners = async () =>
    new Map((await directory.all()).map((owner) => [owner.projectId, owner]))

  async function byProject(): Promise<ReadonlyMap<string, Owner>> {
    const known = cache.peek(key)
    if (known) return known
    const read = cache.get(key, readOwners)
    return (await read) ?? new Map<string, Owner>()
  }

  return { byProject }
}
export type Owners = ReturnType<typeof createOwners>
