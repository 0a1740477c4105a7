import { readTimestamp } from '../../read-timestamp.ts'
import { newId } from '../../new-id.ts'
import { requireGoodPassword } from '../password-rules.ts'
import type { PasswordHasher } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import { refuseAccessKeyToken, requireCanGrantAll, requireNoSystemRole } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  chooseDomain,
  requireFreeName,
  requireFreeRename,
  requireReference,
  requireResource,
  nullToEmpty,
} from './require-resource.ts'
import { redacted, definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import type { Registry } from './registry.ts'
import type { User } from './resources.ts'

interface UserChanges {
  readonly name?: string
  readonly password?: string | null
  readonly description?: string | null
  readonly enabled?: boolean
  readonly displayname?: string
  readonly email?: string | null
  readonly mobile?: string
  readonly default_project_id?: string | null
  readonly expires_at?: string | null
}

interface NewUser extends UserChanges {
  readonly name: string
  readonly domain_id?: string
}

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly hasher: PasswordHasher
  readonly clock: Clock
}

export function createUserUseCases({ registry, change, hasher, clock }: Dependencies) {
  const plans = createChangePlans('users', clock, ({ domain_id }) => ({
    kind: 'domain',
    domainId: domain_id,
  }))

  /** Hashed outside of the change, because hashing is slow and changes run one at a time. */
  async function hashPassword(password: string | null | undefined) {
    if (typeof password !== 'string') return definedFields({ password_hash: password })
    await requireGoodPassword(password)
    return { password_hash: await hasher.hash(password) }
  }

  async function requireDefaultProject(caller: Caller, input: UserChanges): Promise<void> {
    const id = input.default_project_id
    if (typeof id !== 'string') return
    await requireReference(
      registry,
      'projects',
      id,
      caller.authorizedScope,
      'user.default_project_id',
    )
  }

  return {
    async createUser(caller: Caller, input: NewUser): Promise<User> {
      const fields = fieldsOf(input)
      const secrets = await hashPassword(input.password)
      return await change(caller, async (caller) => {
        const domainId = await chooseDomain(registry, caller, input.domain_id, 'user.domain_id')
        await requireFreeName(registry, 'users', input.name, domainId)
        await requireDefaultProject(caller, input)
        const blank = {
          description: '',
          enabled: true,
          displayname: '',
          email: '',
          mobile: '',
          default_project_id: null,
          password_expires_at: null,
          expires_at: null,
        }
        const identity = { id: newId(), name: input.name, domain_id: domainId, created_at: clock() }
        return plans.toCreate(caller, { ...blank, ...fields, ...identity }, secrets)
      })
    },

    async updateUser(caller: Caller, id: string, input: UserChanges): Promise<User> {
      const fields = fieldsOf(input)
      // Checked before hashing, so that callers cannot cause the work for users they do not
      // administer.
      await requireResource(registry, 'users', id, caller.authorizedScope)
      const secrets = await hashPassword(input.password)
      const setsPassword = 'password_hash' in secrets
      return await change(caller, async (caller) => {
        const before = await requireResource(registry, 'users', id, caller.authorizedScope)
        const held = await registry.assignmentsOf({ kind: 'user', id })
        requireNoSystemRole(caller.authorizedScope, held)
        if (setsPassword) {
          if (id === caller.principal.token.userId) {
            refuseAccessKeyToken(caller.principal, 'set the password of its own user')
          }
          requireCanGrantAll(caller.principal, held, 'set the password of this user')
        }
        await requireFreeRename(registry, 'users', before, input.name)
        await requireDefaultProject(caller, input)
        return plans.toUpdate(caller, before, fields, (after) => ({
          secrets,
          ...(setsPassword && { changes: { password: redacted } }),
          writes:
            setsPassword || !after.enabled
              ? [{ do: 'revoke-tokens', of: 'user', id } as const]
              : [],
        }))
      })
    },

    deleteUser: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const user = await requireResource(registry, 'users', id, caller.authorizedScope)
        requireNoSystemRole(
          caller.authorizedScope,
          await registry.assignmentsOf({ kind: 'user', id }),
        )
        const impact = await registry.impactOf('users', id, clock())
        return plans.toDelete(caller, user, { changes: { touched: [impact, null] } })
      }),
  }
}

/** The fields as they are stored, without those that the request leaves out. */
const fieldsOf = (input: UserChanges) =>
  definedFields({
    name: input.name,
    description: nullToEmpty(input.description),
    enabled: input.enabled,
    displayname: input.displayname,
    email: nullToEmpty(input.email),
    mobile: input.mobile,
    default_project_id: input.default_project_id,
    expires_at:
      typeof input.expires_at === 'string'
        ? readTimestamp(input.expires_at, 'user.expires_at')
        : input.expires_at,
  })
