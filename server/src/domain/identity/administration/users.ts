import { readTimestamp } from '../../read-timestamp.ts'
import { newId } from '../../new-id.ts'
import { requireGoodPassword } from '../password-rules.ts'
import type { PasswordHasher } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import { requireFullLogin, requireMayGiveAll, requireNotAbove } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  chooseDomain,
  requireFreeName,
  requireFreeRename,
  requireReferred,
  requireThing,
  hidden,
  orEmpty,
  said,
} from './changes.ts'
import { createDecisions } from './decisions.ts'
import type { Change } from './change.ts'
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
  const decisions = createDecisions('users', clock, ({ domain_id }) => ({
    kind: 'domain',
    domainId: domain_id,
  }))

  /** Hashed before anything is decided: it takes its time, and others want to change things too. */
  async function hashPassword(password: string | null | undefined) {
    if (typeof password !== 'string') return said({ password_hash: password })
    await requireGoodPassword(password)
    return { password_hash: await hasher.hash(password) }
  }

  async function requireDefaultProject(caller: Caller, wish: UserChanges): Promise<void> {
    const id = wish.default_project_id
    if (typeof id !== 'string') return
    await requireReferred(
      registry,
      'projects',
      id,
      caller.authorizedScope,
      'user.default_project_id',
    )
  }

  return {
    async createUser(caller: Caller, wish: NewUser): Promise<User> {
      const fields = fieldsOf(wish)
      const secrets = await hashPassword(wish.password)
      return await change(caller, async (caller) => {
        const domainId = await chooseDomain(registry, caller, wish.domain_id, 'user.domain_id')
        await requireFreeName(registry, 'users', wish.name, domainId)
        await requireDefaultProject(caller, wish)
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
        const identity = { id: newId(), name: wish.name, domain_id: domainId, created_at: clock() }
        return decisions.toCreate(caller, { ...blank, ...fields, ...identity }, secrets)
      })
    },

    async updateUser(caller: Caller, id: string, wish: UserChanges): Promise<User> {
      const fields = fieldsOf(wish)
      // Nobody has a hash computed for a user who is none of theirs.
      await requireThing(registry, 'users', id, caller.authorizedScope)
      const secrets = await hashPassword(wish.password)
      const setsPassword = 'password_hash' in secrets
      return await change(caller, async (caller) => {
        const before = await requireThing(registry, 'users', id, caller.authorizedScope)
        const held = await registry.assignmentsOf({ kind: 'user', id })
        requireNotAbove(caller.authorizedScope, held)
        if (setsPassword) {
          if (id === caller.principal.token.userId) {
            requireFullLogin(caller.principal, 'set the password of its own user')
          }
          requireMayGiveAll(caller.principal, held, 'set the password of this user')
        }
        await requireFreeRename(registry, 'users', before, wish.name)
        await requireDefaultProject(caller, wish)
        return decisions.toUpdate(caller, before, fields, (after) => ({
          secrets,
          ...(setsPassword && { changes: { password: hidden } }),
          writes:
            setsPassword || !after.enabled ? [{ do: 'end-tokens', of: 'user', id } as const] : [],
        }))
      })
    },

    deleteUser: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const user = await requireThing(registry, 'users', id, caller.authorizedScope)
        requireNotAbove(caller.authorizedScope, await registry.assignmentsOf({ kind: 'user', id }))
        const impact = await registry.impactOf('users', id, clock())
        return decisions.toDelete(caller, user, { changes: { touched: [impact, null] } })
      }),
  }
}

/** The fields as they are kept; what was not said is not there. */
const fieldsOf = (wish: UserChanges) =>
  said({
    name: wish.name,
    description: orEmpty(wish.description),
    enabled: wish.enabled,
    displayname: wish.displayname,
    email: orEmpty(wish.email),
    mobile: wish.mobile,
    default_project_id: wish.default_project_id,
    expires_at:
      typeof wish.expires_at === 'string'
        ? readTimestamp(wish.expires_at, 'user.expires_at')
        : wish.expires_at,
  })
