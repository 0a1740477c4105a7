import type { DemoDomain, DemoHost, DemoPerson, DemoProject } from '../demo-port.ts'
import { createEvent } from '../domain/audit/create-event.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import { fieldsOfNew } from '../domain/audit/field-diff.ts'
import { all, type Registry, type Write } from '../domain/identity/administration/registry.ts'
import { nounOf, type ResourceKind } from '../domain/identity/administration/resources.ts'
import { type Scope, everywhere } from '../domain/scope.ts'
import { nameKey } from '../domain/name-key.ts'
import type { PasswordHasher } from '../domain/identity/ports.ts'
import type { Clock } from '../domain/clock.ts'
import type { SecretKey } from '../vault/secret-key.ts'

interface Dependencies {
  readonly registry: Registry
  readonly hasher: PasswordHasher
  readonly key: Pick<SecretKey, 'demoPassword'>
  readonly clock: Clock
}

/** The origin of audit events that no request caused. */
export const atStart = { ip: '', requestId: '', isConfidential: true }

interface Row {
  readonly id: string
  readonly name: string
  readonly domain_id?: string
}

/** Creates what is missing of a demo's domains, projects and users, all in one transaction. */
export function createSeedDemoOrganisation({
  registry,
  hasher,
  key,
  clock,
}: Dependencies): DemoHost['createOrganisation'] {
  const listAll = async <K extends ResourceKind>(kind: K) =>
    (await registry.list(kind, everywhere, all({}))).items

  const create = (
    kind: 'domains' | 'projects' | 'users',
    row: Row,
    scope: Scope,
    secrets = {},
  ) => ({
    write: { do: 'insert', kind, row: { ...row, ...secrets } } as Write,
    event: createEvent({
      user: undefined,
      origin: atStart,
      action: {
        action: 'create',
        targetType: nounOf(kind),
        targetId: row.id,
        targetName: row.name,
        scope,
        changes: fieldsOfNew(row),
      },
      result: 'success',
      time: clock(),
    }),
  })

  async function missingDomains(domains: readonly DemoDomain[]) {
    const existing = await listAll('domains')
    const nameOf = freeNames(existing)
    return missing(domains, existing).map((domain) => {
      const row = { ...domain, name: nameOf(domain), enabled: true, created_at: clock() }
      return create('domains', row, { kind: 'domain', domainId: row.id })
    })
  }

  async function missingProjects(projects: readonly DemoProject[]) {
    const existing = await listAll('projects')
    const nameOf = freeNames(existing)
    return missing(projects, existing).map((project) => {
      const row = {
        ...project,
        name: nameOf(project),
        description: '',
        enabled: true,
        created_at: clock(),
      }
      const { id: projectId, domain_id: domainId } = project
      return create('projects', row, { kind: 'project', projectId, domainId })
    })
  }

  async function missingPeople(people: readonly DemoPerson[], hashes: ReadonlyMap<string, string>) {
    const existing = await listAll('users')
    const nameOf = freeNames(existing)
    return missing(people, existing).map(({ roles: _roles, ...person }) => {
      const row = {
        ...person,
        name: nameOf(person),
        description: '',
        enabled: true,
        email: '',
        mobile: '',
        password_expires_at: null,
        expires_at: null,
        created_at: clock(),
      }
      const secrets = { password_hash: hashes.get(person.id) ?? null }
      return create('users', row, { kind: 'domain', domainId: person.domain_id }, secrets)
    })
  }

  /** A role that the operator has deleted or renamed is not assigned. */
  async function grantsOf(people: readonly DemoPerson[]) {
    const roleIds = new Map((await listAll('roles')).map(({ name, id }) => [name, id]))
    return people.flatMap((person) =>
      person.roles.flatMap((held) => {
        const roleId = roleIds.get(held.role)
        return roleId === undefined ? [] : [grant(person, roleId, held)]
      }),
    )
  }

  function grant(person: DemoPerson, roleId: string, held: DemoPerson['roles'][number]) {
    const scope = scopeOf(held)
    const event = createEvent({
      user: undefined,
      origin: atStart,
      action: {
        action: 'grant',
        targetType: 'user',
        targetId: person.id,
        targetName: person.name,
        scope,
        changes: { assignment: [null, { role: held.role, role_id: roleId, on: held.on }] },
      },
      result: 'success',
      time: clock(),
    })
    const holder = { kind: 'user', id: person.id } as const
    return { write: { do: 'grant', grant: { roleId, holder, scope } } as Write, event }
  }

  return async function seedDemoOrganisation({ domains, projects, people }) {
    // Hashing takes long: it is done before the transaction.
    const hashes = new Map(
      await Promise.all(
        people.map(
          async ({ id, name }) => [id, await hasher.hash(key.demoPassword(name))] as const,
        ),
      ),
    )
    await registry.applyChange(async () => {
      const users = await missingPeople(people, hashes)
      const created = new Set(users.map(({ event }) => event.target_id))
      const steps: { write: Write; event: EventRecord }[] = [
        ...(await missingDomains(domains)),
        ...(await missingProjects(projects)),
        ...users,
        ...(await grantsOf(people.filter(({ id }) => created.has(id)))),
      ]
      return {
        writes: steps.map(({ write }) => write),
        events: steps.map(({ event }) => event),
        result: undefined,
      }
    })
  }
}

function missing<Wanted extends Row>(wanted: readonly Wanted[], existing: readonly Row[]) {
  const ids = new Set(existing.map(({ id }) => id))
  return wanted.filter(({ id }) => !ids.has(id))
}

/** Adds a suffix to names that are taken. */
function freeNames(existing: readonly Row[]) {
  const spell = (name: string, domain = '') => `${domain} ${nameKey(name)}`
  const taken = new Set(existing.map(({ name, domain_id }) => spell(name, domain_id)))
  return function nameOf({ name, domain_id }: Pick<Row, 'name' | 'domain_id'>): string {
    let free = name
    for (let number = 1; taken.has(spell(free, domain_id)); number += 1) {
      free = `${name}-demo${number === 1 ? '' : `-${number}`}`
    }
    return free
  }
}

function scopeOf(held: DemoPerson['roles'][number]): Scope {
  switch (held.on) {
    case 'system':
      return { kind: 'system' }
    case 'domain':
      return { kind: 'domain', domainId: held.domain.id }
    case 'project':
      return { kind: 'project', projectId: held.project.id, domainId: held.project.domain_id }
  }
}
