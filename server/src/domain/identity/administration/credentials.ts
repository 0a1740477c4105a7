import { badField, PlatformError } from '../../error.ts'
import { readTimestamp } from '../../read-timestamp.ts'
import { accessKeyContext, mintAccessKey } from '../access-key/mint-access-key.ts'
import { readOwnSecret } from '../access-key/read-own-secret.ts'
import type { SecretBox } from '../../secret-box.ts'
import type { Directory } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import { everywhere } from '../../scope.ts'
import { openProjects } from '../scope.ts'
import { isActive } from '../user-status.ts'
import { refuseAccessKeyToken, requireCanGrantAll, requireNoSystemRole } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireReference, requireResource } from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import type { Registry } from './registry.ts'
import type { AccessKey } from './resources.ts'

/**
 * With expired keys a user may have this many times the limit. Otherwise short-lived keys would
 * have none.
 */
const expiredFactor = 10

interface NewCredential {
  readonly project_id?: string
  readonly name?: string
  readonly blob?: string
  readonly user_id?: string
  readonly expires_at?: string | null
}

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly directory: Directory
  readonly secretBox: SecretBox
  /** The limit for each user, without expired keys; 0 for no limit. */
  readonly mostAccessKeys: number
  readonly clock: Clock
}

/** Access keys: credentials with which programs log in to one project of a user. */
export function createCredentialUseCases(dependencies: Dependencies) {
  const { registry, change, directory, secretBox, mostAccessKeys, clock } = dependencies

  const plansIn = (domainId: string) =>
    createChangePlans('credentials', clock, ({ project_id }) => ({
      kind: 'project',
      projectId: project_id,
      domainId,
    }))

  /** The owner of a new key, with the current role assignments. */
  async function requireOwner(caller: Caller, userId: string) {
    const { principal, authorizedScope } = caller
    await requireReference(registry, 'users', userId, authorizedScope, 'credential.user_id')
    // Not from the cache, which may be a moment old.
    const userStatus = await directory.loadUserStatus(userId)
    if (!userStatus || !isActive(userStatus, clock())) {
      throw badField('credential.user_id', 'is not an active user')
    }
    if (userId !== principal.token.userId) {
      requireCanGrantAll(principal, userStatus.assignments, 'make an access key for this user')
    }
    return userStatus
  }

  /**
   * Checked and written at one version of the data, so that concurrent requests cannot exceed the
   * limit.
   */
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
   * A key that the caller may change. A program may delete the key that it uses, but a leaked key must
   * not be able to delete others, or the keys with which its owner would replace it.
   */
  async function requireKey(
    { principal, authorizedScope }: Caller,
    id: string,
  ): Promise<AccessKey> {
    const key = await requireResource(registry, 'credentials', id, authorizedScope)
    if (principal.token.accessKey?.id !== id) {
      refuseAccessKeyToken(principal, 'change or delete another access key')
    }
    if (key.user_id !== principal.token.userId) {
      requireNoSystemRole(
        authorizedScope,
        await registry.assignmentsOf({ kind: 'user', id: key.user_id }),
      )
    }
    return key
  }

  /** Enabling a key takes the same permissions as creating one. */
  async function requireCanEnable({ principal }: Caller, key: AccessKey): Promise<void> {
    refuseAccessKeyToken(principal, 'enable an access key')
    if (key.user_id === principal.token.userId) return
    const held = await registry.assignmentsOf({ kind: 'user', id: key.user_id })
    requireCanGrantAll(principal, held, 'enable this access key')
  }

  async function domainOf(key: AccessKey): Promise<string> {
    const project = await registry.find('projects', key.project_id, everywhere)
    return project?.domain_id ?? ''
  }

  return {
    /** Only this response contains the secret. */
    createCredential: (
      caller: Caller,
      input: NewCredential,
    ): Promise<{ key: AccessKey; secret: string }> =>
      change(caller, async (caller) => {
        refuseAccessKeyToken(caller.principal, 'make an access key')
        const { token, scope } = caller.principal
        const projectId = input.project_id ?? (scope.kind === 'project' ? scope.project.id : '')
        const userStatus = await requireOwner(caller, input.user_id ?? token.userId)
        const project = openProjects(userStatus).find(({ id }) => id === projectId)
        if (!project) {
          throw badField('credential.project_id', 'must be a project in which the user has a role')
        }
        const own = readOwnSecret(input.blob)
        if (typeof input.expires_at === 'string' && own.expiresAt !== undefined) {
          throw badField('credential.blob.expire', 'cannot be combined with expires_at')
        }
        const expires_at =
          readEnd(input.expires_at, 'credential.expires_at', clock()) ??
          readEnd(own.expiresAt, 'credential.blob.expire', clock())
        await requireRoom(userStatus.user.id)
        const { accessKey: id, secret } = { ...mintAccessKey(), ...own.secret }
        const key: AccessKey = {
          id,
          name: input.name ?? '',
          user_id: userStatus.user.id,
          project_id: project.id,
          enabled: true,
          expires_at,
          last_used_at: null,
          last_used_ip: '',
          created_at: clock(),
        }
        const encrypted = secretBox.encrypt(
          secret,
          accessKeyContext(id, key.user_id, key.project_id),
        )
        const made = plansIn(project.domain.id).toCreate(caller, key, { secret: encrypted })
        return { ...made, result: { key, secret } }
      }),

    updateCredential: (
      caller: Caller,
      id: string,
      input: { readonly name?: string; readonly enabled?: boolean },
    ): Promise<AccessKey> =>
      change(caller, async (caller) => {
        const before = await requireKey(caller, id)
        const { name, enabled } = input
        if (enabled === true && !before.enabled) await requireCanEnable(caller, before)
        const plans = plansIn(await domainOf(before))
        return plans.toUpdate(caller, before, definedFields({ name, enabled }), (after) => ({
          writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'access-key', id }],
        }))
      }),

    deleteCredential: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const key = await requireKey(caller, id)
        return plansIn(await domainOf(key)).toDelete(caller, key, {
          writes: [{ do: 'revoke-tokens', of: 'access-key', id }],
        })
      }),
  }
}

// A conflict rather than a 429, because waiting does not help.
const tooManyKeys = (much: string) =>
  new PlatformError('ConflictError', `This user has ${much}. Delete one first.`)

function readEnd(moment: string | null | undefined, path: string, now: number): number | null {
  if (moment === undefined || moment === null) return null
  const end = readTimestamp(moment, path)
  if (end <= now) throw badField(path, 'is in the past')
  return end
}
