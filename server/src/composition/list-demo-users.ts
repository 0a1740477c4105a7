import type { DemoHost, DemoPerson, DemoUser } from '../demo-port.ts'
import type { Registry } from '../domain/identity/administration/registry.ts'
import type { Directory, PasswordHasher } from '../domain/identity/ports.ts'
import { everywhere } from '../domain/scope.ts'
import type { DatabaseReader } from '../storage/database.ts'
import { readDemoPasswords, type DemoPasswords } from '../storage/demo-passwords.ts'
import type { SecretKey } from '../vault/secret-key.ts'

interface Dependencies {
  readonly registry: Registry
  readonly directory: Directory
  readonly hasher: PasswordHasher
  readonly database: Pick<DatabaseReader, 'db'>
  readonly key: Pick<SecretKey, 'demoPassword' | 'decrypt'>
}

/** Finds the users of a demo that exist and can log in, with their current names. */
export function createListDemoUsers({
  registry,
  directory,
  hasher,
  database,
  key,
}: Dependencies): DemoHost['listUsers'] {
  async function find(person: DemoPerson, stored: DemoPasswords): Promise<DemoUser | undefined> {
    const user = await registry.find('users', person.id, everywhere)
    const domain = user && (await registry.find('domains', user.domain_id, everywhere))
    if (!user?.enabled || !domain) return undefined
    const project =
      user.default_project_id === null
        ? undefined
        : await registry.find('projects', user.default_project_id, everywhere)
    const { credentials } = await directory.findCredentials({ id: user.id })
    const password = stored[person.name] ?? key.demoPassword(person.name)
    const isUnchanged = await hasher.inTurn((compare) =>
      compare(credentials?.passwordHash ?? null, password),
    )
    return {
      name: user.name,
      password: isUnchanged ? password : undefined,
      domain: domain.name,
      role: person.roles[0]?.role ?? '',
      project: project?.name,
    }
  }

  return async function listDemoUsers(people) {
    const stored = await readDemoPasswords(database.db, key)
    const users = await Promise.all(people.map((person) => find(person, stored)))
    return users.filter((user) => user !== undefined)
  }
}
