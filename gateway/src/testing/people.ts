import { createPopulation } from '../../../server/src/testing/population.ts'
import { createPasswordHasher } from '../../../server/src/vault/password-hasher.ts'
import type { TestPlatform } from '../../../server/src/testing/start-platform.ts'

export const password = 'a password for the browser'

/** People of the default domain who own projects, to log in as. */
export async function createPeople(platform: TestPlatform) {
  const population = createPopulation(platform.database)
  const passwordHash = await createPasswordHasher().hash(password)
  return {
    population,
    async addOwner(name: string, projects: readonly string[]) {
      const userId = await population.addUser({ name, passwordHash })
      const projectIds: string[] = []
      for (const project of projects) {
        const projectId = await population.addProject(project)
        await population.assign({ role: 'project_owner', userId, projectId })
        projectIds.push(projectId)
      }
      return { userId, projectIds }
    },
  }
}
