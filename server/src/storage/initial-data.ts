import { nameKey } from '../domain/name-key.ts'
import { newId } from '../domain/new-id.ts'
import { builtInRoles } from '../domain/identity/built-in-roles.ts'
import type { DatabaseReader, IdentityWriter, Statements } from './database.ts'
import { policyFlags } from './registry/policy-flags.ts'
import { findSetting } from './stored-settings.ts'
import { Violation } from './violation.ts'

const settingKey = 'foundation'

const named = (name: string) => ({ name, name_key: nameKey(name) })

/** The data of the first start: the default domain, the first project, the roles and the first admin. */
export function createInitialDataStore(database: DatabaseReader & IdentityWriter) {
  const { db } = database

  function roleStatements(now: number): { ids: Map<string, string>; statements: Statements } {
    const roles = builtInRoles.map((role) => ({ ...role, id: newId(), policyId: newId() }))
    return {
      ids: new Map(roles.map(({ name, id }) => [name, id])),
      statements: roles.flatMap(({ id, name, description, policyId, policy, scope, rules }) => [
        db
          .insertInto('roles')
          .values({ id, ...named(name), domain_id: 'default', description, created_at: now })
          .compile(),
        db
          .insertInto('policies')
          .values({
            id: policyId,
            ...named(policy),
            scope,
            enabled: 1,
            rules: JSON.stringify(rules),
            ...policyFlags(JSON.stringify(rules)),
            created_at: now,
          })
          .compile(),
        db.insertInto('role_policies').values({ role_id: id, policy_id: policyId }).compile(),
      ]),
    }
  }

  return {
    async exists(): Promise<boolean> {
      return (await findSetting(db, settingKey)) !== undefined
    },

    /** Returns false without changes if another process was first. */
    async create(passwordHash: string, now: number): Promise<boolean> {
      const projectId = newId()
      const userId = newId()
      const roles = roleStatements(now)
      const assign = (role: string, project_id: string | null) =>
        db
          .insertInto('assignments')
          .values({
            id: newId(),
            role_id: roles.ids.get(role) ?? '',
            user_id: userId,
            project_id,
          })
          .compile()
      const common = { enabled: 1, created_at: now }
      try {
        await database.commitIdentity([
          db
            .insertInto('settings')
            .values({ key: settingKey, value: String(now) })
            .compile(),
          db
            .insertInto('domains')
            .values({ id: 'default', ...named('Default'), description: '', ...common })
            .compile(),
          db
            .insertInto('projects')
            .values({
              id: projectId,
              domain_id: 'default',
              ...named('system'),
              description: "The platform's own project",
              ...common,
            })
            .compile(),
          db
            .insertInto('users')
            .values({
              id: userId,
              domain_id: 'default',
              ...named('sysadmin'),
              displayname: '',
              email: '',
              mobile: '',
              password_hash: passwordHash,
              ...common,
            })
            .compile(),
          ...roles.statements,
          assign('admin', null),
          assign('project_owner', projectId),
        ])
        return true
      } catch (error) {
        if (error instanceof Violation && error.kind === 'unique') return false
        throw error
      }
    },
  }
}
