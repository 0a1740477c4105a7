import type { TokenScope } from '../../domain/identity/records.ts'
import { nameKey } from '../../domain/name-key.ts'
import { newId } from '../../domain/new-id.ts'
import type { Database } from '../../storage/database.ts'
import { insertToken } from './insert-token.ts'
import { casOptions } from './identity-records.ts'
import { createdAt, createIdentityWorld } from './create-identity-world.ts'

/** A domain with one of everything in it. */
export interface Tenant {
  /** By the names of the collections. */
  readonly ids: Readonly<Record<TenantKind, string>>
  /** A token of somebody new in this domain, with the role there, on its project or on the system. */
  person(role: string | undefined): Promise<{ userId: string; token: string }>
}

const tenantKinds = [
  'domains',
  'projects',
  'users',
  'groups',
  'credentials',
  'identity_providers',
] as const
export type TenantKind = (typeof tenantKinds)[number]

export const isTenantKind = (kind: string): kind is TenantKind =>
  (tenantKinds as readonly string[]).includes(kind)

const named = (name: string) => ({
  id: newId(),
  name,
  name_key: nameKey(name),
  created_at: createdAt,
})

export async function addTenant(database: Database, name: string): Promise<Tenant> {
  const { db } = database
  const identities = createIdentityWorld(database)
  const domainId = await identities.addDomain(name)
  const projectId = await identities.addProject('main', domainId)
  const userId = await identities.addUser({ name: 'member', domainId })
  const group = { ...named('team'), domain_id: domainId }
  const key = {
    ...named('key'),
    user_id: userId,
    project_id: projectId,
    enabled: 1,
    secret: 'sealed',
    last_used_ip: '',
  }
  const provider = {
    ...named(`provider of ${name}`),
    driver: 'cas',
    options: casOptions,
    domain_id: domainId,
    enabled: 1,
    mapping: '[]',
  }
  await identities.change(
    db.insertInto('groups').values(group).compile(),
    db.insertInto('group_members').values({ group_id: group.id, user_id: userId }).compile(),
    db.insertInto('access_keys').values(key).compile(),
    db.insertInto('identity_providers').values(provider).compile(),
  )
  await identities.assign({ role: 'project_viewer', userId, projectId })
  await identities.assign({ role: 'project_viewer', groupId: group.id, projectId })

  let people = 0
  return {
    ids: {
      domains: domainId,
      projects: projectId,
      users: userId,
      groups: group.id,
      credentials: key.id,
      identity_providers: provider.id,
    },

    async person(role) {
      people += 1
      const person = await identities.addUser({ name: `person ${people}`, domainId })
      let scope: TokenScope = { kind: 'none' }
      if (role?.startsWith('domain_')) {
        await identities.assign({ role, userId: person, domainId })
        scope = { kind: 'domain', id: domainId }
      } else if (role !== undefined) {
        const isOnProject = role.startsWith('project_')
        await identities.assign({ role, userId: person, ...(isOnProject && { projectId }) })
        // A role on the system is used from some project.
        if (!isOnProject) {
          await identities.assign({ role: 'project_viewer', userId: person, projectId })
        }
        scope = { kind: 'project', id: projectId }
      }
      return { userId: person, token: await insertToken(database, { userId: person, scope }) }
    },
  }
}
