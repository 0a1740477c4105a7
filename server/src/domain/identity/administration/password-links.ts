import { hash, randomBytes } from 'node:crypto'
import { passwordLinkHours, type RequiredPermission } from '@muster/contract'
import { createEvent } from '../../audit/create-event.ts'
import type { EventStore } from '../../audit/event-store.ts'
import { redacted } from '../../audit/field-diff.ts'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { UserSummary } from '../../user-summary.ts'
import type { Caller } from '../caller.ts'
import { passwordLinkMethod, type LoginLimit } from '../login-limit.ts'
import { requireGoodPassword } from '../password-rules.ts'
import type { Directory, LinkCreator, PasswordHasher } from '../ports.ts'
import { supposePrincipal, type Principal } from '../principal.ts'
import type { Assignment, UserStatus } from '../records.ts'
import { currentScope } from '../token-scope.ts'
import { isActive } from '../user-status.ts'
import { requireAuthorizedScope } from '../authorized-scope.ts'
import { everywhere, type AuthorizedScope } from '../../scope.ts'
import {
  refuseAccessKeyToken,
  refuseRestrictedKey,
  requireCanGrantAll,
  requireNoSystemRole,
} from './authority.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import { mayHavePassword, requireMayHavePassword } from './local-password-rule.ts'
import type { Registry } from './registry.ts'
import { requireResource } from './require-resource.ts'

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly directory: Directory
  readonly events: Pick<EventStore, 'record'>
  readonly loginLimit: Pick<LoginLimit, 'countFailure' | 'requirePasswordLink'>
  readonly hasher: Pick<PasswordHasher, 'hash'>
  readonly clock: Clock
}

const lifetime = passwordLinkHours * 3_600_000

/** A prefix that secret scanners know, and 256 random bits. */
const mintSecret = () => `mpl1_${randomBytes(32).toString('base64url')}`
const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

const refused = () =>
  new PlatformError(
    'UnauthorizedError',
    'The link is invalid, has expired or was used before. Ask for a new one.',
  )

const what = 'create a password link for this user'

const toUpdate = {
  service: 'identity',
  resource: 'users',
  action: 'update',
  at: ['system', 'domain'],
} as const satisfies RequiredPermission

/** Whoever has the link can act as the user. */
function requireMayLink(
  principal: Principal,
  authorizedScope: AuthorizedScope,
  assignments: readonly Assignment[],
): void {
  requireNoSystemRole(authorizedScope, assignments)
  requireCanGrantAll(principal, assignments, what)
}

/** Links with which users without a password set their first one, once. Only the hash of the secret is stored. */
export function createPasswordLinkUseCases(dependencies: Dependencies) {
  const { registry, change, directory, events, loginLimit, hasher, clock } = dependencies
  const plans = createChangePlans('users', { registry, clock })

  /** Read again, because a cached status can be older than the change that is being made. */
  async function findStatus(userId: string): Promise<UserStatus | undefined> {
    const status = await directory.loadUserStatus(userId)
    return status && isActive(status, clock()) ? status : undefined
  }

  /** Whether the creator of a link could still create it: roles may have been given or taken since. */
  async function isStillAllowed({ userId, scope }: LinkCreator, { assignments }: UserStatus) {
    const creator = await findStatus(userId)
    const granted = creator && currentScope(scope, creator)
    if (!granted) return false
    try {
      const principal = supposePrincipal(creator, granted)
      requireMayLink(principal, requireAuthorizedScope(principal, toUpdate), assignments)
      return true
    } catch (error) {
      if (error instanceof PlatformError && error.class === 'ForbiddenError') return false
      throw error
    }
  }

  /** The active user of a link that can be used now. */
  async function findActive(linkHash: string): Promise<UserStatus | undefined> {
    const link = await directory.findPasswordLink(linkHash)
    if (!link || link.hasPassword || link.expiresAt <= clock()) return undefined
    const user = await registry.find('users', link.user.id, everywhere)
    if (!user || !(await mayHavePassword(registry, user))) return undefined
    const status = await findStatus(link.user.id)
    return status && (await isStillAllowed(link.creator, status)) ? status : undefined
  }

  const toEvent = (user: UserSummary, origin: RequestOrigin, result: 'success' | 'failure') =>
    createEvent({
      user,
      origin,
      action: {
        action: 'update',
        targetType: 'user',
        targetId: user.id,
        targetName: user.name,
        scope: { kind: 'domain', domainId: user.domainId },
        changes: { password: redacted },
      },
      result,
      time: clock(),
    })

  /** Recorded if the link is that of a user: nobody can fill the audit log with invented ones. */
  async function refuse(linkHash: string, origin: RequestOrigin): Promise<PlatformError> {
    const refusal = loginLimit.countFailure(passwordLinkMethod, origin.ip, '')
    const link = await directory.findPasswordLink(linkHash)
    if (link) await events.record(toEvent(link.user, origin, 'failure'))
    return refusal ?? refused()
  }

  return {
    createPasswordLink: (caller: Caller, userId: string) =>
      change(caller, async (caller) => {
        const { principal, authorizedScope } = caller
        const user = await requireResource(registry, 'users', userId, authorizedScope)
        const assignments = await registry.assignmentsOf({ kind: 'user', id: userId })
        requireMayLink(principal, authorizedScope, assignments)
        if (userId === principal.token.userId) refuseAccessKeyToken(principal, what)
        refuseRestrictedKey(principal, what)
        await requireMayHavePassword(registry, user)
        const { credentials } = await directory.findCredentials({ id: userId })
        if (credentials?.passwordHash !== null) {
          throw new PlatformError(
            'InvalidStatusError',
            'The user has a password. Set a new one instead.',
          )
        }
        if (!user.enabled || (user.expires_at !== null && user.expires_at <= clock())) {
          throw new PlatformError(
            'InvalidStatusError',
            'The user is disabled or has expired, so nobody can log in as this user.',
          )
        }
        const secret = mintSecret()
        const { accessKey, ...token } = principal.token
        // The link ends with the access key, which may be leaked.
        const expiresAt = Math.min(clock() + lifetime, accessKey?.expiresAt ?? Infinity)
        const creator = {
          userId: token.userId,
          scope: token.scope,
          accessKeyId: accessKey?.id ?? null,
        }
        const link = {
          do: 'link-password',
          userId,
          hash: hashOf(secret),
          expiresAt,
          creator,
        } as const
        const plan = await plans.toRelate(caller, 'update', user, { password_link: redacted }, link)
        return { ...plan, result: { secret, expiresAt } }
      }),

    async setFirstPassword(secret: string, password: string, origin: RequestOrigin) {
      loginLimit.requirePasswordLink(origin.ip)
      const linkHash = hashOf(secret)
      if (!(await findActive(linkHash))) throw await refuse(linkHash, origin)
      await requireGoodPassword(password)
      const password_hash = await hasher.hash(password)
      return await registry.applyChange(async () => {
        // Another request may have used it meanwhile.
        const status = await findActive(linkHash)
        if (!status) throw refused()
        const { id, name, domain } = status.user
        return {
          writes: [
            { do: 'update', kind: 'users', id, changes: { password_hash } },
            { do: 'unlink-password', userId: id },
            // Guesses at a name without a password must not delay the first login.
            { do: 'forget-failures', userId: id },
          ],
          events: [toEvent({ id, name, domainId: domain.id }, origin, 'success')],
          result: { id, name, domain: { id: domain.id, name: domain.name } },
        }
      })
    },
  }
}
