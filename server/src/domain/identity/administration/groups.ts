import type { Changes } from '../../audit/event.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { requireCanGrantAll, requireCanRevokeAll, requireNoSystemRole } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  chooseDomain,
  requireFreeName,
  requireFreeRename,
  requireResource,
  resolveId,
  notFound,
  nullToEmpty,
} from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, joinPlans, noChange, type Change } from './change-plan.ts'
import type { Registry } from './registry.ts'
import type { Group, User } from './resources.ts'

interface NewGroup {
  readonly name: string
  readonly domain_id?: string
  readonly description?: string | null
}

/** Groups and their members. Members hold the group's roles, so adding one is granting them. */
export function createGroupUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('groups', clock, ({ domain_id }) => ({
    kind: 'domain',
    domainId: domain_id,
  }))

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
    return plans.toRelate(caller, 'join', group, memberChange(user, 'joins'), write)
  }

  async function planRemoving(caller: Caller, groupId: string, userId: string) {
    const { group, user, isMember } = await requirePair(caller, groupId, userId)
    if (!isMember) throw notFound('users')
    const held = await assignmentsOf(groupId)
    requireNoSystemRole(caller.authorizedScope, held)
    requireCanRevokeAll(caller.principal, held, 'remove a user from this group')
    const write = { do: 'leave', groupId, userId } as const
    return plans.toRelate(caller, 'leave', group, memberChange(user, 'leaves'), write)
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
    createGroup: (caller: Caller, input: NewGroup): Promise<Group> =>
      change(caller, async (caller) => {
        const domainId = await chooseDomain(registry, caller, input.domain_id, 'group.domain_id')
        await requireFreeName(registry, 'groups', input.name, domainId)
        return plans.toCreate(caller, {
          id: newId(),
          name: input.name,
          domain_id: domainId,
          description: input.description ?? '',
          created_at: clock(),
        })
      }),

    updateGroup: (caller: Caller, id: string, input: Partial<NewGroup>): Promise<Group> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'groups', id, caller.authorizedScope)
        await requireFreeRename(registry, 'groups', before, input.name)
        const { name, description } = input
        return plans.toUpdate(
          caller,
          before,
          definedFields({ name, description: nullToEmpty(description) }),
        )
      }),

    deleteGroup: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const group = await requireResource(registry, 'groups', id, caller.authorizedScope)
        const held = await assignmentsOf(id)
        requireNoSystemRole(caller.authorizedScope, held)
        requireCanRevokeAll(caller.principal, held, 'delete this group')
        return plans.toDelete(caller, group)
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
