import type { Changes } from '../../audit/event.ts'
import { requireCanGrantAll, requireCanRevokeAll, requireNoSystemRole } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireResource, resolveId, notFound } from './require-resource.ts'
import { createChangePlans, joinPlans, noChange } from './change-plan.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'
import type { Group, User } from './resources.ts'

/** Groups and their members. Members hold the group's roles, so adding one is granting them. */
export function createGroupUseCases(context: WriteContext) {
  const { registry, change } = context
  const plans = createChangePlans('groups', context)

  const assignmentsOf = (id: string) => registry.assignmentsOf({ kind: 'group', id })

  async function requirePair({ authorizedScope }: Caller, groupId: string, userId: string) {
    const group = await requireResource(registry, 'groups', groupId, authorizedScope)
    const user = await requireResource(registry, 'users', userId, authorizedScope)
    return { group, user, isMember: await registry.isMember(groupId, userId) }
  }

  async function planAdding(caller: Caller, groupId: string, userId: string) {
    const { group, user, isMember } = await requirePair(caller, groupId, userId)
    const held = await assignmentsOf(groupId)
    requireCanGrantAll(caller.principal, held, 'add a user to this group')
    if (isMember) return noChange
    const write = { do: 'join', groupId, userId } as const
    return await plans.toRelate(caller, 'join', group, memberChange(user, 'joins'), write)
  }

  async function planRemoving(caller: Caller, groupId: string, userId: string) {
    const { group, user, isMember } = await requirePair(caller, groupId, userId)
    if (!isMember) throw notFound('users')
    const held = await assignmentsOf(groupId)
    requireNoSystemRole(caller.authorizedScope, held)
    requireCanRevokeAll(caller.principal, held, 'remove a user from this group')
    const write = { do: 'leave', groupId, userId } as const
    return await plans.toRelate(caller, 'leave', group, memberChange(user, 'leaves'), write)
  }

  /** The same for several users, all or none. Group and users by id or name. */
  const changeMembers =
    (plan: typeof planAdding) =>
    (caller: Caller, group: string, users: readonly string[]): Promise<Group> =>
      change(caller, async (caller) => {
        const { authorizedScope } = caller
        const groupId = await resolveId(registry, 'groups', group, authorizedScope)
        const found = await requireResource(registry, 'groups', groupId, authorizedScope)
        const resolve = (user: string) => resolveId(registry, 'users', user, authorizedScope)
        const ids = new Set(await Promise.all(users.map(resolve)))
        const planned = await Promise.all([...ids].map((id) => plan(caller, groupId, id)))
        return joinPlans(planned, found)
      })

  return {
    write: createWriteUseCases('groups', context, {
      async delete(caller, { id }) {
        const held = await assignmentsOf(id)
        requireNoSystemRole(caller.authorizedScope, held)
        requireCanRevokeAll(caller.principal, held, 'delete this group')
        return undefined
      },
    }),

    addGroupUser: (caller: Caller, groupId: string, userId: string): Promise<void> =>
      change(caller, (caller) => planAdding(caller, groupId, userId)),

    async checkGroupUser(caller: Caller, groupId: string, userId: string): Promise<void> {
      const { isMember } = await requirePair(caller, groupId, userId)
      if (!isMember) throw notFound('users')
    },

    removeGroupUser: (caller: Caller, groupId: string, userId: string): Promise<void> =>
      change(caller, (caller) => planRemoving(caller, groupId, userId)),

    addGroupUsers: changeMembers(planAdding),
    removeGroupUsers: changeMembers(planRemoving),
  }
}

function memberChange({ id, name }: User, way: 'joins' | 'leaves'): Changes {
  const member = { id, name }
  return { member: way === 'joins' ? [null, member] : [member, null] }
}
