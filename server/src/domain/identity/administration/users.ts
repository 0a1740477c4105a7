import { definedFields, redacted } from '../../audit/field-diff.ts'
import type { Caller } from '../caller.ts'
import { requireGoodPassword } from '../password-rules.ts'
import type { Directory, PasswordHasher } from '../ports.ts'
import { everywhere } from '../../scope.ts'
import type { Principal } from '../principal.ts'
import type { Assignment } from '../records.ts'
import {
  refuseAccessKeyToken,
  refuseRestrictedKey,
  requireCanGrantAll,
  requireNoSystemRole,
} from './authority.ts'
import { mayHavePassword, requireMayHavePassword } from './local-password-rule.ts'
import { chooseOwner, requireReference, requireResource } from './require-resource.ts'
import { createServiceAccountRules } from './service-accounts.ts'
import {
  createWriteUseCases,
  type ChangesOf,
  type NewOf,
  type WriteContext,
  type WriteUseCases,
} from './write-resources.ts'

type UserContext = WriteContext & {
  readonly hasher: PasswordHasher
  readonly directory: Pick<Directory, 'loadUserStatus'>
}

/** A break-glass user can log in with a password that was refused before. */
function requireCanMark(principal: Principal, held: readonly Assignment[]): void {
  const what = 'mark a user as break-glass'
  refuseAccessKeyToken(principal, what)
  requireCanGrantAll(principal, held, what)
}

export function createUserUseCases(context: UserContext): WriteUseCases<'users'> {
  const { registry, hasher, clock } = context
  const rules = createServiceAccountRules(context)

  /** Hashed outside of the change, because hashing is slow and changes run one at a time. */
  async function hashPassword(password: string | null | undefined) {
    if (typeof password !== 'string') return definedFields({ password_hash: password })
    await requireGoodPassword(password)
    return { password_hash: await hasher.hash(password) }
  }

  async function requireDefaultProject(
    { authorizedScope }: Caller,
    { default_project_id: id }: ChangesOf<'users'>,
  ): Promise<void> {
    if (typeof id !== 'string') return
    await requireReference(registry, 'projects', id, authorizedScope, 'user.default_project_id')
  }

  const held = (id: string) => registry.assignmentsOf({ kind: 'user', id })

  /** What an administrator decides holds: a login must not enable a user again because a sync had disabled them. */
  async function forgetEndings(userId: string) {
    const links = await registry.listLinks({ userId })
    return links
      .filter(({ endedAt }) => endedAt !== null)
      .map((link) => ({ do: 'mark-ended', link, endedAt: null }) as const)
  }

  const write = createWriteUseCases('users', context, {
    async complete(caller, input) {
      await requireDefaultProject(caller, input)
      await rules.requireValidNew(caller, input)
      const owner = await chooseOwner(registry, 'users')(caller, input)
      const { break_glass = false } = input
      if (break_glass) requireCanMark(caller.principal, [])
      if (typeof input.password === 'string') {
        refuseRestrictedKey(caller.principal, 'create a user with a password')
        await requireMayHavePassword(registry, {
          domain_id: owner.domain_id ?? '',
          break_glass,
          service_account: false,
        })
      }
      return owner
    },
    async update(caller, { before, after, input, secrets = {} }) {
      const { principal, authorizedScope } = caller
      const { id } = before
      const assignments = await held(id)
      requireNoSystemRole(authorizedScope, assignments)
      await rules.requireValidChange(caller, before, input, assignments)
      const setsPassword = 'password_hash' in secrets
      if (setsPassword) {
        if (id === principal.token.userId) {
          refuseAccessKeyToken(principal, 'set the password of its own user')
        }
        refuseRestrictedKey(principal, 'set the password of a user')
        requireCanGrantAll(principal, assignments, 'set the password of this user')
      }
      if (typeof secrets.password_hash === 'string') await requireMayHavePassword(registry, after)
      const isMarked = after.break_glass && !before.break_glass
      if (isMarked) requireCanMark(principal, assignments)
      const losesPassword = before.break_glass && !(await mayHavePassword(registry, after))
      await requireDefaultProject(caller, input)
      return {
        ...(setsPassword && { changes: { password: redacted } }),
        // From now on the access keys depend on logins at a provider.
        ...(losesPassword && { secrets: { ...secrets, password_refused_at: clock() } }),
        writes: [
          ...(input.enabled === undefined ? [] : await forgetEndings(id)),
          ...(setsPassword || losesPassword || !after.enabled
            ? [
                { do: 'revoke-tokens', of: 'user', id } as const,
                { do: 'unlink-password', userId: id } as const,
              ]
            : []),
        ],
      }
    },
    async delete({ authorizedScope }, { id }) {
      requireNoSystemRole(authorizedScope, await held(id))
      return { changes: { touched: [await registry.impactOf('users', id, clock()), null] } }
    },
  })

  return {
    ...write,
    create: async (caller: Caller, input: NewOf<'users'>) =>
      await write.create(caller, input, await hashPassword(input.password)),
    async update(caller: Caller, id: string, input: ChangesOf<'users'>) {
      // Checked before hashing, so that callers cannot cause the work for users they do not
      // administer.
      await requireResource(registry, 'users', id, caller.authorizedScope)
      const user = await write.update(caller, id, input, await hashPassword(input.password))
      // What needs attention may be another thing now.
      return user.service_account ? ((await registry.find('users', id, everywhere)) ?? user) : user
    },
  }
}
