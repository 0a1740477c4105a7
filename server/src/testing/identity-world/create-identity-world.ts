import type { PolicyScope } from '@muster/contract'
import { nameKey } from '../../domain/name-key.ts'
import type { PolicyRule } from '../../domain/identity/records.ts'
import type { Database, Statements } from '../../storage/database.ts'
import { policyFlags } from '../../storage/registry/policy-flags.ts'
import { newId } from '../../domain/new-id.ts'

const named = (name: string) => ({ id: newId(), name, name_key: nameKey(name) })
/** When all of them were made. */
export const createdAt = Date.UTC(2026, 0, 1)

interface UserOptions {
  readonly name: string
  readonly domainId?: string
  readonly passwordHash?: string
  readonly enabled?: boolean
  readonly expiresAt?: number
  readonly passwordExpiresAt?: number
  readonly defaultProjectId?: string
}

interface AssignmentOptions {
  readonly role: string
  readonly userId?: string
  readonly groupId?: string
  /** Neither a project nor a domain: on the system. */
  readonly projectId?: string
  readonly domainId?: string
}

/** Peoples a database for tests, straight through its storage. Every change is news. */
export function createIdentityWorld(database: Database) {
  const { db } = database
  const change = (...statements: Statements) => database.commitIdentity(statements)

  return {
    change,

    async addDomain(name: string): Promise<string> {
      const row = { ...named(name), description: '', enabled: 1, created_at: createdAt }
      await change(db.insertInto('domains').values(row).compile())
      return row.id
    },

    async addProject(name: string, domainId = 'default'): Promise<string> {
      const row = {
        ...named(name),
        domain_id: domainId,
        description: '',
        enabled: 1,
        created_at: createdAt,
      }
      await change(db.insertInto('projects').values(row).compile())
      return row.id
    },

    async addUser(options: UserOptions): Promise<string> {
      const row = {
        ...named(options.name),
        domain_id: options.domainId ?? 'default',
        displayname: '',
        email: '',
        mobile: '',
        enabled: options.enabled === false ? 0 : 1,
        password_hash: options.passwordHash ?? null,
        password_expires_at: options.passwordExpiresAt ?? null,
        expires_at: options.expiresAt ?? null,
        default_project_id: options.defaultProjectId ?? null,
        created_at: createdAt,
      }
      await change(db.insertInto('users').values(row).compile())
      return row.id
    },

    async addGroup(name: string, memberIds: readonly string[]): Promise<string> {
      const row = { ...named(name), domain_id: 'default', created_at: createdAt }
      const members = memberIds.map((user_id) => ({ group_id: row.id, user_id }))
      await change(
        db.insertInto('groups').values(row).compile(),
        db.insertInto('group_members').values(members).compile(),
      )
      return row.id
    },

    /** A role with one policy of its own. */
    async addRole(name: string, scope: PolicyScope, rules: readonly PolicyRule[]): Promise<void> {
      const role = { ...named(name), domain_id: 'default', description: '', created_at: createdAt }
      const policy = {
        ...named(`${name}_policy`),
        scope,
        enabled: 1,
        rules: JSON.stringify(rules),
        ...policyFlags(JSON.stringify(rules)),
        created_at: createdAt,
      }
      await change(
        db.insertInto('roles').values(role).compile(),
        db.insertInto('policies').values(policy).compile(),
        db.insertInto('role_policies').values({ role_id: role.id, policy_id: policy.id }).compile(),
      )
    },

    async assign(options: AssignmentOptions): Promise<string> {
      const { id: role_id } = await db
        .selectFrom('roles')
        .where('name', '=', options.role)
        .select('id')
        .executeTakeFirstOrThrow()
      const id = newId()
      await change(
        db
          .insertInto('assignments')
          .values({
            id,
            role_id,
            user_id: options.userId ?? null,
            group_id: options.groupId ?? null,
            project_id: options.projectId ?? null,
            domain_id: options.domainId ?? null,
          })
          .compile(),
      )
      return id
    },
  }
}
export type IdentityWorld = ReturnType<typeof createIdentityWorld>
