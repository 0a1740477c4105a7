import type { TokenScope } from '../../domain/identity/records.ts'
import type { Database } from '../../storage/database.ts'
import { insertToken } from './insert-token.ts'
import { createIdentityWorld } from './create-identity-world.ts'
import { accessKeyRow, groupRow, providerRow } from './identity-rows.ts'

export interface Tenant {
  /** By the names of the collections. */
  readonly ids: Readonly<Record<TenantKind, string>>
  /** A token of a new user in this domain, with the role in the domain, in its project or in the system. */
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

/** A domain with one of everything in it. */
export async function addTenant(database: Database, name: string): Promise<Tenant> {
  const { db } = database
  const identities = createIdentityWorld(database)
  const domainId = await identities.addDomain(name)
  const projectId = await identities.addProject('main', domainId)
  const userId = await identities.addUser({ name: 'member', domainId })
  const group = groupRow('team', domainId)
  const key = accessKeyRow(userId, projectId)
  const provider = providerRow(`provider of ${name}`, domainId)
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
        // A system role needs a token for some project.
        if (!isOnProject) {
          await identities.assign({ role: 'project_viewer', userId: person, projectId })
        }
        scope = { kind: 'project', id: projectId }
      }
      return { userId: person, token: await insertToken(database, { userId: person, scope }) }
    },
  }
}
