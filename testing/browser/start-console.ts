import { hash } from '@node-rs/argon2'
import type { BrowserContextOptions } from 'playwright-core'
import type { Clock } from '../../server/src/domain/clock.ts'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { createIdentityWorld } from '../../server/src/testing/identity-world/create-identity-world.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { adminPassword, startPlatform } from '../../server/src/testing/start-platform.ts'
import { enterAs, type Person } from './enter-as.ts'
import { browserVariable, openBrowser } from './open-browser.ts'
import { readyConsole } from './ready-console.ts'
import { openVisit } from './visit.ts'
import { testPasswordCost } from '../../server/src/testing/password-cost.ts'

export const password = 'as good as any other'

interface Options {
  readonly flags?: readonly string[]
  readonly clock?: Clock
}

export const admin: Person = { name: 'sysadmin', password: adminPassword }

/** A real Muster with its console, and a browser in front of it. */
export async function startConsole(lifetime: Lifetime, { flags = [], clock }: Options = {}) {
  if (process.env[browserVariable] === undefined) await readyConsole(process.stderr)
  const { browser, close } = await openBrowser()
  lifetime.after(close)
  const platform = await startPlatform({ flags, ...(clock && { clock }) })
  lifetime.after(() => platform.close())
  const { url, database } = platform
  const identities = createIdentityWorld(database)
  let passwordHash: Promise<string> | undefined

  return {
    platform,
    database,
    url,
    browser,
    identities,
    admin: await createAdminClient(platform),

    /** A user with one role in a project, a domain, or (without either) the system. */
    async addUser(
      name: string,
      role: string,
      place: { projectId?: string; domainId?: string } = {},
      defaultProjectId?: string,
    ): Promise<Person & { userId: string }> {
      passwordHash ??= hash(password, testPasswordCost)
      const userId = await identities.addUser({
        name,
        passwordHash: await passwordHash,
        ...(defaultProjectId !== undefined && { defaultProjectId }),
      })
      await identities.assign({ role, userId, ...place })
      return { name, password, userId }
    },

    /** A new browser profile, logged in if a user is given. */
    async visit(test: Lifetime, as?: Person, options?: BrowserContextOptions) {
      const visit = await openVisit(test, browser, url, options)
      if (as) await enterAs(visit.context, url, as)
      return visit
    },
  }
}
export type TestConsole = Awaited<ReturnType<typeof startConsole>>
