import type { ChangesOf, NewOf } from './write-resources.ts'
import { badField } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import type { Directory } from '../ports.ts'
import type { Assignment } from '../records.ts'
import { isActive } from '../user-status.ts'
import { requireCanGrantAll } from './authority.ts'
import type { Registry } from './registry.ts'
import { requireReference } from './require-resource.ts'
import type { User } from './resources.ts'

interface Dependencies {
  readonly registry: Registry
  readonly directory: Pick<Directory, 'loadUserStatus'>
  readonly clock: () => number
}

/** Fields that only service accounts have, and have always. */
const ownFields = ['owner_id', 'purpose'] as const

/** The rules about users that are programs. */
export function createServiceAccountRules({ registry, directory, clock }: Dependencies) {
  /** The owner makes keys of the account, and so hands on what it may do. */
  async function requireOwner(
    { principal, authorizedScope }: Caller,
    ownerId: string,
    held: readonly Assignment[],
  ): Promise<void> {
    const field = 'user.owner_id'
    const owner = await requireReference(registry, 'users', ownerId, authorizedScope, field)
    const status = await directory.loadUserStatus(ownerId)
    if (owner.service_account || !status || !isActive(status, clock())) {
      throw badField(field, 'must be an active user who is no service account')
    }
    requireCanGrantAll(principal, held, 'choose the owner of this service account')
  }

  return {
    async requireValidNew(caller: Caller, input: NewOf<'users'>): Promise<void> {
      if (!input.service_account) return requireNoOwnFields(input)
      for (const name of ownFields) {
        if (input[name] === undefined) {
          throw badField(
            `user.${name}`,
            'is required for a service account',
            'MissingParameterError',
          )
        }
      }
      if (typeof input.password === 'string') {
        throw badField('user.password', 'must not be set: a service account has access keys only')
      }
      if (input.break_glass) throw cannotMark()
      await requireOwner(caller, input.owner_id ?? '', [])
    },

    async requireValidChange(
      caller: Caller,
      before: User,
      input: ChangesOf<'users'>,
      held: readonly Assignment[],
    ): Promise<void> {
      if (!before.service_account) return requireNoOwnFields(input)
      if (input.break_glass) throw cannotMark()
      const { owner_id } = input
      if (owner_id !== undefined && owner_id !== before.owner_id) {
        await requireOwner(caller, owner_id, held)
      }
    },
  }
}

/** Whether the caller owns the service account. */
export async function isOwnerOf(
  registry: Pick<Registry, 'find'>,
  { principal }: Pick<Caller, 'principal'>,
  userId: string,
): Promise<boolean> {
  const user = await registry.find('users', userId, everywhere)
  return user?.owner_id === principal.token.userId
}

function requireNoOwnFields(input: NewOf<'users'> | ChangesOf<'users'>): void {
  const name = ownFields.find((each) => input[each] !== undefined)
  if (name) throw badField(`user.${name}`, 'is only for a service account')
}

const cannotMark = () =>
  badField('user.break_glass', 'must not be set: a service account has no password')
