import { badField, PlatformError } from '../../error.ts'
import { readTimestamp } from '../../read-timestamp.ts'
import { accessKeyContext, mintAccessKey } from '../access-key/mint-access-key.ts'
import type { SecretBox } from '../../secret-box.ts'
import type { Directory } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import { everywhere } from '../../scope.ts'
import { openProjects } from '../scope.ts'
import { isActive } from '../user-status.ts'
import { requireFullLogin, requireMayGiveAll, requireNotAbove } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireReferred, requireThing, said } from './changes.ts'
import { createDecisions } from './decisions.ts'
import type { Change } from './change.ts'
import type { Registry } from './registry.ts'
import type { AccessKey } from './resources.ts'

/** How many times the limit a user may have with expired keys: else keys that last a second had none. */
const expiredFactor = 10

interface NewCredential {
  readonly project_id: string
  readonly name?: string
  readonly user_id?: string
  readonly expires_at?: string | null
}

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly directory: Directory
  readonly secretBox: SecretBox
  /** Of one user, expired ones left out; 0 for no limit. */
  readonly mostAccessKeys: number
  readonly clock: Clock
}

/** Access keys: a user's own way into one project, for programs. */
export function createCredentialUseCases(dependencies: Dependencies) {
  const { registry, change, directory, secretBox, mostAccessKeys, clock } = dependencies

  const decisionsIn = (domainId: string) =>
    createDecisions('credentials', clock, ({ project_id }) => ({
      kind: 'project',
      projectId: project_id,
      domainId,
    }))

  /** The user whom a key is for, with all that the user holds now. */
  async function requireOwner(caller: Caller, userId: string) {
    const { principal, authorizedScope } = caller
    await requireReferred(registry, 'users', userId, authorizedScope, 'credential.user_id')
    // Read anew: what is remembered may be a moment old.
    const userStatus = await directory.loadUserStatus(userId)
    if (!userStatus || !isActive(userStatus, clock())) {
      throw badField('credential.user_id', 'names a user who is not active')
    }
    if (userId !== principal.token.userId) {
      requireMayGiveAll(principal, userStatus.assignments, 'make an access key for this user')
    }
    return userStatus
  }

  /** Decided and written at one version of the data, so keys made at once cannot exceed it either. */
  async function requireRoom(userId: string): Promise<void> {
    if (mostAccessKeys === 0) return
    const { all, live } = await registry.countAccessKeys(userId, clock())
    if (live >= mostAccessKeys) {
      throw tooManyKeys(`${live} access keys, as many as --access-keys-per-user allows`)
    }
    if (all >= expiredFactor * mostAccessKeys) {
      throw tooManyKeys(
        `${all} access keys, expired ones included: ${expiredFactor} times --access-keys-per-user`,
      )
    }
  }

  /**
   * A key within the caller's scope, whose owner is not out of it. A program with a key may give up that one, but
   * a leaked key must not be able to end the keys of others, or the owner's means to replace it.
   */
  async function requireKey(
    { principal, authorizedScope }: Caller,
    id: string,
  ): Promise<AccessKey> {
    const key = await requireThing(registry, 'credentials', id, authorizedScope)
    if (principal.token.accessKey?.id !== id) {
      requireFullLogin(principal, 'change or delete another access key')
    }
    if (key.user_id !== principal.token.userId) {
      requireNotAbove(
        authorizedScope,
        await registry.assignmentsOf({ kind: 'user', id: key.user_id }),
      )
    }
    return key
  }

  /** A key that works again is as good as a new one. */
  async function requireMayEnable({ principal }: Caller, key: AccessKey): Promise<void> {
    requireFullLogin(principal, 'enable an access key')
    if (key.user_id === principal.token.userId) return
    const held = await registry.assignmentsOf({ kind: 'user', id: key.user_id })
    requireMayGiveAll(principal, held, 'enable this access key')
  }

  async function domainOf(key: AccessKey): Promise<string> {
    const project = await registry.find('projects', key.project_id, everywhere)
    return project?.domain_id ?? ''
  }

  return {
    /** The secret is in this answer and nowhere else. */
    createCredential: (
      caller: Caller,
      wish: NewCredential,
    ): Promise<{ key: AccessKey; secret: string }> =>
      change(caller, async (caller) => {
        requireFullLogin(caller.principal, 'make an access key')
        const { token } = caller.principal
        const userStatus = await requireOwner(caller, wish.user_id ?? token.userId)
        const project = openProjects(userStatus).find(({ id }) => id === wish.project_id)
        if (!project) {
          throw badField('credential.project_id', 'names no project in which the user holds a role')
        }
        const expires_at = readEnd(wish.expires_at, clock())
        await requireRoom(userStatus.user.id)
        const { accessKey: id, secret } = mintAccessKey()
        const key: AccessKey = {
          id,
          name: wish.name ?? '',
          user_id: userStatus.user.id,
          project_id: project.id,
          enabled: true,
          expires_at,
          last_used_at: null,
          last_used_ip: '',
          created_at: clock(),
        }
        const sealed = secretBox.encrypt(secret, accessKeyContext(id, key.user_id, key.project_id))
        const made = decisionsIn(project.domain.id).toCreate(caller, key, { secret: sealed })
        return { ...made, answer: { key, secret } }
      }),

    updateCredential: (
      caller: Caller,
      id: string,
      wish: { readonly name?: string; readonly enabled?: boolean },
    ): Promise<AccessKey> =>
      change(caller, async (caller) => {
        const before = await requireKey(caller, id)
        const { name, enabled } = wish
        if (enabled === true && !before.enabled) await requireMayEnable(caller, before)
        const decisions = decisionsIn(await domainOf(before))
        return decisions.toUpdate(caller, before, said({ name, enabled }), (after) => ({
          writes: after.enabled ? [] : [{ do: 'end-tokens', of: 'access-key', id }],
        }))
      }),

    deleteCredential: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const key = await requireKey(caller, id)
        return decisionsIn(await domainOf(key)).toDelete(caller, key, {
          writes: [{ do: 'end-tokens', of: 'access-key', id }],
        })
      }),
  }
}

// Waiting does not help, so it is no 429.
const tooManyKeys = (much: string) =>
  new PlatformError('ConflictError', `This user has ${much}. Delete some first.`)

function readEnd(moment: string | null | undefined, now: number): number | null {
  if (moment === undefined || moment === null) return null
  const end = readTimestamp(moment, 'credential.expires_at')
  if (end <= now) throw badField('credential.expires_at', 'is in the past')
  return end
}
