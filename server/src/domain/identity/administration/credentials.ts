import { badField, PlatformError } from '../../error.ts'
import { readTimestamp } from '../../read-timestamp.ts'
import { accessKeyContext, mintAccessKey } from '../access-key/mint-access-key.ts'
import { readKeyRestriction } from '../access-key/read-key-restriction.ts'
import { readOwnSecret } from '../access-key/read-own-secret.ts'
import type { SecretBox } from '../../secret-box.ts'
import { requireFreshFactor } from '../factors/required-factor.ts'
import type { Directory } from '../ports.ts'
import type { UserStatus } from '../records.ts'
import { openProjects } from '../token-scope.ts'
import { isActive } from '../user-status.ts'
import { refuseAccessKeyToken, requireCanGrantAll, requireNoSystemRole } from './authority.ts'
import type { Caller } from '../caller.ts'
import { isPersonal } from '../login-rules.ts'
import type { Principal } from '../principal.ts'
import { requireReference } from './require-resource.ts'
import { isOwnerOf } from './service-accounts.ts'
import { createChangePlans } from './change-plan.ts'
import type { AccessKey } from './resources.ts'
import { createWriteUseCases, type NewOf, type WriteContext } from './write-resources.ts'

/**
 * With expired keys a user may have this many times the limit. Otherwise short-lived keys would
 * have none.
 */
const expiredFactor = 10

interface CredentialContext extends WriteContext {
  readonly directory: Directory
  readonly secretBox: SecretBox
  /** The limit for each user, without expired keys; 0 for no limit. */
  readonly mostAccessKeys: number
}

/** Access keys: credentials with which programs log in to one project of a user. */
export function createCredentialUseCases(context: CredentialContext) {
  const { registry, change, directory, secretBox, mostAccessKeys, clock } = context
  const plans = createChangePlans('credentials', context)

  /** The owner of a new key, with the current role assignments. */
  async function requireOwner(caller: Caller, userId: string) {
    const { principal, authorizedScope } = caller
    await requireReference(registry, 'users', userId, authorizedScope, 'credential.user_id')
    // Not from the cache, which may be a moment old.
    const userStatus = await directory.loadUserStatus(userId)
    if (!userStatus || !isActive(userStatus, clock())) {
      throw badField('credential.user_id', 'is not an active user')
    }
    const isOwn = userId === principal.token.userId || (await isOwnerOf(registry, caller, userId))
    if (!isOwn) {
      requireCanGrantAll(principal, userStatus.assignments, 'create an access key for this user')
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
   * Throws unless the caller may change the key. A program may delete the key that it uses, but a leaked
   * key must not be able to delete others, or the keys with which its owner would replace it.
   */
  async function requireCanChange(caller: Caller, key: AccessKey): Promise<void> {
    const { principal, authorizedScope } = caller
    if (principal.token.accessKey?.id !== key.id) {
      refuseAccessKeyToken(principal, 'change or delete another access key')
    }
    const isOwn =
      key.user_id === principal.token.userId || (await isOwnerOf(registry, caller, key.user_id))
    if (!isOwn) {
      requireNoSystemRole(
        authorizedScope,
        await registry.assignmentsOf({ kind: 'user', id: key.user_id }),
      )
    }
  }

  /** Enabling a key takes the same permissions as creating one. */
  async function requireCanEnable(caller: Caller, key: AccessKey): Promise<void> {
    const { principal } = caller
    refuseAccessKeyToken(principal, 'enable an access key')
    refuseProgram(principal, 'enable an access key')
    requireFreshFactor(principal, clock())
    if (key.user_id === principal.token.userId) return
    if (await isOwnerOf(registry, caller, key.user_id)) return
    const held = await registry.assignmentsOf({ kind: 'user', id: key.user_id })
    requireCanGrantAll(principal, held, 'enable this access key')
  }

  const revokeTokens = (id: string) => ({ do: 'revoke-tokens', of: 'access-key', id }) as const

  return {
    ...createWriteUseCases('credentials', context, {
      async update(caller, { before, after }) {
        await requireCanChange(caller, before)
        if (after.enabled && !before.enabled) await requireCanEnable(caller, before)
        return { writes: after.enabled ? [] : [revokeTokens(before.id)] }
      },
      async delete(caller, key) {
        await requireCanChange(caller, key)
        return { writes: [revokeTokens(key.id)] }
      },
    }),

    /** Only this response contains the secret. */
    create: (
      caller: Caller,
      input: NewOf<'credentials'>,
    ): Promise<{ key: AccessKey; secret: string }> =>
      change(caller, async (caller) => {
        refuseAccessKeyToken(caller.principal, 'make an access key')
        refuseProgram(caller.principal, 'make an access key')
        requireFreshFactor(caller.principal, clock())
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
        const restriction = readKeyRestriction(input.restriction, project.id)
        requireListedProjects(restriction?.projects ?? [], userStatus)
        await requireRoom(userStatus.user.id)
        const { accessKey: id, secret } = { ...mintAccessKey(), ...own.secret }
        const key: AccessKey = {
          id,
          name: input.name ?? '',
          user_id: userStatus.user.id,
          project_id: project.id,
          enabled: true,
          expires_at,
          restriction,
          last_used_at: null,
          last_used_ip: '',
          created_at: clock(),
        }
        const encrypted = secretBox.encrypt(
          secret,
          accessKeyContext(id, key.user_id, key.project_id),
        )
        const made = await plans.toCreate(caller, key, { secret: encrypted })
        return { ...made, result: { key, secret } }
      }),
  }
}

function requireListedProjects(ids: readonly string[], userStatus: UserStatus): void {
  const open = new Set(openProjects(userStatus).map(({ id }) => id))
  const index = ids.findIndex((id) => !open.has(id))
  if (index === -1) return
  throw badField(
    `credential.restriction.projects.${index}`,
    'must be a project in which the user has a role',
  )
}

/** A program logs in again for each token, and a key would last. */
function refuseProgram({ token }: Principal, what: string): void {
  if (isPersonal(token.login)) return
  throw new PlatformError('ForbiddenError', `A token of a program cannot ${what}.`)
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
