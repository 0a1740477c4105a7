import type { EventStore } from '../../audit/event-store.ts'
import { PlatformError } from '../../error.ts'
import type { Caller } from '../caller.ts'
import type { CheckPassword } from '../check-password.ts'
import { requireGoodPassword, longestPassword } from '../password-rules.ts'
import type { Directory, PasswordHasher } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import { createEvent } from '../../audit/create-event.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { notFound, requireResource } from './require-resource.ts'
import { requireMayHavePassword } from './local-password-rule.ts'
import type { Registry } from './registry.ts'
import { everywhere } from '../../scope.ts'
import { redacted } from '../../audit/field-diff.ts'
import type { Change } from './change-plan.ts'

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly events: EventStore
  readonly directory: Directory
  readonly checkPassword: CheckPassword
  readonly hasher: PasswordHasher
  readonly clock: Clock
}

interface Passwords {
  readonly original_password: string
  readonly password: string
}

/** Changes the caller's own password. */
export function createChangeOwnPassword(dependencies: Dependencies) {
  const { registry, change, events, directory, checkPassword, hasher, clock } = dependencies

  return async function changeOwnPassword(
    caller: Caller,
    userId: string,
    { original_password, password }: Passwords,
  ): Promise<void> {
    const { origin } = caller
    const { user } = caller.principal.userStatus
    if (userId !== user.id) throw notFound('users')
    if (Buffer.byteLength(original_password) > longestPassword) throw notRight()
    const self = await requireResource(registry, 'users', userId, everywhere)
    await requireMayHavePassword(registry, self)
    await requireGoodPassword(password)
    const { credentials } = await directory.findCredentials({ id: userId })
    const proven = await checkPassword(
      userId,
      origin.ip,
      credentials?.passwordHash ?? null,
      original_password,
    )
    const auditedAction = {
      action: 'update',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domain.id },
      changes: { password: redacted },
    } as const
    if (!proven) {
      await events.record(
        createEvent({ user, origin, action: auditedAction, result: 'failure', time: clock() }),
      )
      throw notRight()
    }
    const password_hash = await hasher.hash(password)
    await change(caller, async (caller) => {
      const { credentials: now } = await directory.findCredentials({ id: userId })
      if (now?.passwordHash !== credentials?.passwordHash) {
        throw new PlatformError(
          'ConflictError',
          'The password was changed by another request. Try again.',
        )
      }
      return {
        writes: [
          { do: 'update', kind: 'users', id: userId, changes: { password_hash } },
          { do: 'revoke-tokens', of: 'user', id: userId },
        ],
        events: [createAuditEvent(caller, auditedAction, clock)],
        result: undefined,
      }
    })
  }
}

const notRight = () => new PlatformError('UnauthorizedError', 'The original password is wrong.')
