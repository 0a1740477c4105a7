import type { Registry } from '../domain/identity/administration/registry.ts'
import type { Directory, PasswordHasher } from '../domain/identity/ports.ts'
import { everywhere } from '../domain/scope.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import { demoPeople, type DemoPerson } from './demo-organisation.ts'

/** Someone to try a demo as, by the names that things have now. */
export interface DemoUser {
  readonly name: string
  /** Undefined where it has been changed: then only who changed it knows. */
  readonly password: string | undefined
  readonly domain: string
  /** The role that the demo gave first. */
  readonly role: string
  /** Where the user logs in: without it, in the whole domain. */
  readonly project: string | undefined
}

interface Dependencies {
  readonly registry: Registry
  readonly directory: Directory
  readonly hasher: PasswordHasher
  readonly key: Pick<SecretKey, 'demoPassword'>
}

/** Looks who of a demo's people is there and can log in, whatever was changed about them. */
export function createListDemoUsers({ registry, directory, hasher, key }: Dependencies) {
  async function meet(person: DemoPerson): Promise<DemoUser | undefined> {
    const user = await registry.find('users', person.id, everywhere)
    const domain = user && (await registry.find('domains', user.domain_id, everywhere))
    if (!user?.enabled || !domain) return undefined
    const project =
      user.default_project_id === null
        ? undefined
        : await registry.find('projects', user.default_project_id, everywhere)
    const { credentials } = await directory.findAccount({ id: user.id })
    const password = key.demoPassword(person.name)
    const isKept = await hasher.inTurn((compare) =>
      compare(credentials?.passwordHash ?? null, password),
    )
    return {
      name: user.name,
      password: isKept ? password : undefined,
      domain: domain.name,
      role: person.roles[0]?.role ?? '',
      project: project?.name,
    }
  }

  return async function listDemoUsers(): Promise<readonly DemoUser[]> {
    const users = await Promise.all(demoPeople.map(meet))
    return users.filter((user) => user !== undefined)
  }
}
