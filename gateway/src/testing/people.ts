import { createIdentityWorld } from '../../../server/src/testing/identity-world/create-identity-world.ts'
import { createPasswordHasher } from '../../../server/src/vault/password-hasher.ts'
import type { TestPlatform } from '../../../server/src/testing/start-platform.ts'
import { testPasswordCost } from '../../../server/src/testing/password-cost.ts'

export const password = 'a password for the browser'

/** People of the default domain who own projects, to log in as. */
export async function createPeople(platform: TestPlatform) {
  const identities = createIdentityWorld(platform.database)
  const passwordHash = await createPasswordHasher(testPasswordCost).hash(password)
  return {
    identities,
    async addOwner(name: string, projects: readonly string[]) {
      const userId = await identities.addUser({ name, passwordHash })
      const projectIds: string[] = []
      for (const project of projects) {
        const projectId = await identities.addProject(project)
        await identities.assign({ role: 'project_owner', userId, projectId })
        projectIds.push(projectId)
      }
      return { userId, projectIds }
    },
  }
}
