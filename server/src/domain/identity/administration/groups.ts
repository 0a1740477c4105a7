import type { Changes } from '../../audit/event.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { requireMayGiveAll, requireMayTakeAll, requireNotAbove } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  chooseDomain,
  requireFreeName,
  requireFreeRename,
  requireThing,
  notThere,
  orEmpty,
  said,
} from './changes.ts'
import { createDecisions, nothingToDo } from './decisions.ts'
import type { Change } from './change.ts'
import type { Registry } from './registry.ts'
import type { Group, User } from './resources.ts'

interface NewGroup {
  readonly name: string
  readonly domain_id?: string
  readonly description?: string | null
}

/** Groups and who is in them. A group's members hold what it holds, so joining is being granted. */
export function createGroupUseCases(registry: Registry, change: Change, clock: Clock) {
  const decisions = createDecisions('groups', clock, ({ domain_id }) => ({
    kind: 'domain',
    domainId: domain_id,
  }))

  const assignmentsOf = (id: string) => registry.assignmentsOf({ kind: 'group', id })

  async function requirePair({ authorizedScope }: Caller, groupId: string, userId: string) {
    const group = await requireThing(registry, 'groups', groupId, authorizedScope)
    const user = await requireThing(registry, 'users', userId, authorizedScope)
    return { group, user, isMember: await registry.isMember(groupId, userId) }
  }

  return {
    createGroup: (caller: Caller, wish: NewGroup): Promise<Group> =>
      change(caller, async (caller) => {
        const domainId = await chooseDomain(registry, caller, wish.domain_id, 'group.domain_id')
        await requireFreeName(registry, 'groups', wish.name, domainId)
        return decisions.toCreate(caller, {
          id: newId(),
          name: wish.name,
          domain_id: domainId,
          description: wish.description ?? '',
          created_at: clock(),
        })
      }),

    updateGroup: (caller: Caller, id: string, wish: Partial<NewGroup>): Promise<Group> =>
      change(caller, async (caller) => {
        const before = await requireThing(registry, 'groups', id, caller.authorizedScope)
        await requireFreeRename(registry, 'groups', before, wish.name)
        const { name, description } = wish
        return decisions.toUpdate(caller, before, said({ name, description: orEmpty(description) }))
      }),

    deleteGroup: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const group = await requireThing(registry, 'groups', id, caller.authorizedScope)
        const held = await assignmentsOf(id)
        requireNotAbove(caller.authorizedScope, held)
        requireMayTakeAll(caller.principal, held, 'delete this group')
        return decisions.toDelete(caller, group)
      }),

    addGroupUser: (caller: Caller, groupId: string, userId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { group, user, isMember } = await requirePair(caller, groupId, userId)
        const held = await assignmentsOf(groupId)
        requireMayGiveAll(caller.principal, held, 'add somebody to this group')
        if (isMember) return nothingToDo
        const write = { do: 'join', groupId, userId } as const
        return decisions.toRelate(caller, 'join', group, memberChange(user, 'joins'), write)
      }),

    async checkGroupUser(caller: Caller, groupId: string, userId: string): Promise<void> {
      const { isMember } = await requirePair(caller, groupId, userId)
      if (!isMember) throw notThere('users')
    },

    removeGroupUser: (caller: Caller, groupId: string, userId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { group, user, isMember } = await requirePair(caller, groupId, userId)
        if (!isMember) throw notThere('users')
        const held = await assignmentsOf(groupId)
        requireNotAbove(caller.authorizedScope, held)
        requireMayTakeAll(caller.principal, held, 'remove somebody from this group')
        const write = { do: 'leave', groupId, userId } as const
        return decisions.toRelate(caller, 'leave', group, memberChange(user, 'leaves'), write)
      }),
  }
}

function memberChange({ id, name }: User, way: 'joins' | 'leaves'): Changes {
  const member = { id, name }
  return { member: way === 'joins' ? [null, member] : [member, null] }
}
