import type { Level } from '@muster/contract'
import type { PolicyRule } from '../../domain/identity/records.ts'
import type { Database, Statements } from '../../storage/database.ts'
import {
  assignmentRow,
  domainRow,
  groupRow,
  policyRow,
  projectRow,
  roleRow,
  userRow,
  type UserOptions,
} from './identity-rows.ts'

interface AssignmentOptions {
  readonly role: string
  readonly userId?: string
  readonly groupId?: string
  /** Neither a project nor a domain: on the system. */
  readonly projectId?: string
  readonly domainId?: string
}

/** Writes domains, projects, users and roles directly to storage, one commit each. */
export function createIdentityWorld(database: Database) {
  const { db } = database
  const change = (...statements: Statements) => database.commitIdentity(statements)

  return {
    change,

    async addDomain(name: string): Promise<string> {
      const row = domainRow(name)
      await change(db.insertInto('domains').values(row).compile())
      return row.id
    },

    async addProject(name: string, domainId = 'default'): Promise<string> {
      const row = projectRow(name, domainId)
      await change(db.insertInto('projects').values(row).compile())
      return row.id
    },

    async addUser(options: UserOptions): Promise<string> {
      const row = userRow(options)
      await change(db.insertInto('users').values(row).compile())
      return row.id
    },

    async addGroup(name: string, memberIds: readonly string[]): Promise<string> {
      const row = groupRow(name, 'default')
      const members = memberIds.map((user_id) => ({ group_id: row.id, user_id }))
      await change(
        db.insertInto('groups').values(row).compile(),
        db.insertInto('group_members').values(members).compile(),
      )
      return row.id
    },

    /** A role with one policy of its own. */
    async addRole(name: string, scope: Level, rules: readonly PolicyRule[]): Promise<void> {
      const role = roleRow(name)
      const policy = policyRow(`${name}_policy`, scope, rules)
      await change(
        db.insertInto('roles').values(role).compile(),
        db.insertInto('policies').values(policy).compile(),
        db.insertInto('role_policies').values({ role_id: role.id, policy_id: policy.id }).compile(),
      )
    },

    async assign({ role, ...holding }: AssignmentOptions): Promise<string> {
      const { id: roleId } = await db
        .selectFrom('roles')
        .where('name', '=', role)
        .select('id')
        .executeTakeFirstOrThrow()
      const row = assignmentRow(roleId, holding)
      await change(db.insertInto('assignments').values(row).compile())
      return row.id
    },
  }
}
export type IdentityWorld = ReturnType<typeof createIdentityWorld>
