import { mostFactors, type BodyOf, type factorOperations } from '@muster/contract'
import type { Changes } from '../../audit/event.ts'
import type { EventStore } from '../../audit/event-store.ts'
import { createEvent } from '../../audit/create-event.ts'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import { newId } from '../../new-id.ts'
import type { SecretBox } from '../../secret-box.ts'
import { createAwaitLoginTurn } from '../await-login-turn.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import type { CheckPasscode } from '../factors/check-passcode.ts'
import { hashRecoveryCode, mintRecoveryCodes } from '../factors/recovery-codes.ts'
import { findFactorNeed, requireFreshFactor } from '../factors/required-factor.ts'
import { mintTotpSecret, totpContext, totpUri } from '../factors/totp.ts'
import { isPersonal } from '../login-rules.ts'
import type { FactorStore, FactorUse, LoginGuard } from '../ports.ts'
import type { FactorRecord } from '../records.ts'
import { requireCanGrantAll, requireNoSystemRole } from './authority.ts'
import { noChange, type Change } from './change-plan.ts'
import type { ChangePlan, FactorWrite, Registry, Write } from './registry.ts'
import { notFound, requireResource } from './require-resource.ts'

type FactorOperation = (typeof factorOperations)[number]
type NewFactor = BodyOf<Extract<FactorOperation, { readonly id: 'createFactor' }>>['factor']

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly events: EventStore
  readonly factors: FactorStore
  readonly passcodes: CheckPasscode
  readonly guard: LoginGuard
  readonly secretBox: SecretBox
  /** The host that an authenticator app shows. */
  readonly host: string
  readonly clock: Clock
}

/** The second factors of users. */
export function createFactorUseCases(dependencies: Dependencies) {
  const { registry, change, events, factors, passcodes, guard, secretBox, host, clock } =
    dependencies
  const awaitLoginTurn = createAwaitLoginTurn(guard, clock)

  const toAction = (caller: Caller, action: string, changes: Changes) => {
    const { user } = caller.principal.userStatus
    return {
      action,
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domain.id },
      changes,
    } as const
  }

  function toPlan<Result>(
    caller: Caller,
    action: readonly [name: string, changes: Changes],
    writes: readonly FactorWrite[],
    result: Result,
  ): ChangePlan<Result> {
    return {
      writes: writes.map((write): Write => ({ do: 'factors', write })),
      events: [createAuditEvent(caller, toAction(caller, ...action), clock)],
      result,
    }
  }

  /** A leaked key must not add a factor, nor remove one. */
  function requireOwn({ principal }: Caller, userId: string): void {
    if (userId !== principal.token.userId) throw notFound('users')
    requirePerson(principal)
  }

  async function requireFactor(userId: string, id: string): Promise<FactorRecord> {
    const factor = (await factors.list(userId)).find((own) => own.id === id)
    if (factor) return factor
    throw new PlatformError('ResourceNotFoundError', 'You have no such second factor.')
  }

  /** Compares a code as logins do: wrong ones count as failed logins, and delay the next. */
  async function requireCode(
    caller: Caller,
    check: () => Promise<FactorUse | undefined>,
  ): Promise<FactorUse> {
    const { token, userStatus } = caller.principal
    const turn = await awaitLoginTurn(token.userId, caller.origin.ip)
    if (turn.verdict === 'admitted') {
      const use = await check()
      if (use) {
        // Not as a success: who has a session only must not make failed logins forgotten.
        await guard.release(turn.bucket)
        return use
      }
      await guard.settle(turn.bucket, token.userId, caller.origin.ip, false, clock())
    }
    await events.record(
      createEvent({
        user: userStatus.user,
        origin: caller.origin,
        action: toAction(caller, 'verify_factor', {}),
        result: 'failure',
        time: clock(),
      }),
    )
    throw wrongCode()
  }

  const verified = ({ principal }: Caller, use: FactorUse): FactorWrite[] => [
    { do: 'use', use, at: clock() },
    {
      do: 'note-verified',
      tokenId: principal.token.id,
      factor: { method: 'totp', at: clock() },
    },
  ]

  function renewCodes(userId: string): { codes: string[]; writes: FactorWrite[] } {
    const codes = mintRecoveryCodes()
    const hashes = codes.map((code) => hashRecoveryCode(code, userId))
    return {
      codes,
      writes: [
        { do: 'delete-codes-of', userId },
        { do: 'add-codes', userId, hashes },
      ],
    }
  }

  const isConfirmed = ({ confirmedAt }: FactorRecord) => confirmedAt !== null

  return {
    async getFactors({ principal, authorizedScope }: Caller, userId: string) {
      await requireResource(registry, 'users', userId, authorizedScope)
      return {
        factors: await factors.list(userId),
        recoveryCodes: await factors.countRecoveryCodes(userId),
        reset: await factors.findReset(userId),
        required: findFactorNeed(principal),
        verifiedAt: principal.token.factor?.at ?? null,
      }
    },

    createFactor: (caller: Caller, userId: string, { name = 'Authenticator app' }: NewFactor) =>
      change(caller, async (caller) => {
        requireOwn(caller, userId)
        requireFreshFactor(caller.principal, clock())
        const confirmed = (await factors.list(userId)).filter(isConfirmed)
        if (confirmed.length >= mostFactors) {
          throw new PlatformError(
            'ConflictError',
            `You have ${mostFactors} second factors, the maximum. Delete one first.`,
          )
        }
        const id = newId()
        const secret = mintTotpSecret()
        const factor: FactorRecord = {
          id,
          userId,
          name,
          encryptedSecret: secretBox.encrypt(secret, totpContext(id, userId)),
          createdAt: clock(),
          confirmedAt: null,
          lastStep: 0,
          lastUsedAt: null,
        }
        const uri = totpUri(host, caller.principal.userStatus.user.name, secret)
        return toPlan(
          caller,
          ['add_factor', { factor: [null, name] }],
          [
            { do: 'delete-new-of', userId },
            { do: 'add', factor },
          ],
          { factor, secret, uri },
        )
      }),

    async confirmFactor(caller: Caller, userId: string, id: string, passcode: string) {
      requireOwn(caller, userId)
      requireFreshFactor(caller.principal, clock())
      const use = await requireCode(caller, async () =>
        passcodes.checkNewFactor(await requireNewFactor(userId, id), passcode),
      )
      return await change(caller, async (caller) => {
        requireFreshFactor(caller.principal, clock())
        const factor = await requireNewFactor(userId, id)
        const isFirst = !(await factors.list(userId)).some(isConfirmed)
        const { codes, writes } = isFirst ? renewCodes(userId) : { codes: [], writes: [] }
        return toPlan(
          caller,
          ['confirm_factor', { factor: [null, factor.name] }],
          [{ do: 'confirm', id, at: clock() }, ...verified(caller, use), ...writes],
          { factor: { ...factor, confirmedAt: clock(), lastUsedAt: clock() }, codes },
        )
      })
    },

    async verifyFactor(caller: Caller, userId: string, passcode: string): Promise<void> {
      requireOwn(caller, userId)
      const use = await requireCode(
        caller,
        async () => (await passcodes.checkPasscode(userId, passcode)).use,
      )
      let isFirstTry = true
      await change(caller, async (caller) => {
        // The code was used by another request meanwhile.
        if (!isFirstTry && !(await passcodes.checkPasscode(userId, passcode)).use) throw wrongCode()
        isFirstTry = false
        const changes: Changes = { factor: [null, use.kind] }
        return toPlan(caller, ['verify_factor', changes], verified(caller, use), undefined)
      })
    },

    updateFactor: (caller: Caller, userId: string, id: string, name: string) =>
      change(caller, async (caller) => {
        requireOwn(caller, userId)
        requireFreshFactor(caller.principal, clock())
        const factor = await requireFactor(userId, id)
        const renamed = { ...factor, name }
        if (factor.name === name) return { ...noChange, result: renamed }
        const changes: Changes = { factor: [factor.name, name] }
        return toPlan(caller, ['update_factor', changes], [{ do: 'rename', id, name }], renamed)
      }),

    deleteFactor: (caller: Caller, userId: string, id: string): Promise<void> =>
      change(caller, async (caller) => {
        requireOwn(caller, userId)
        requireFreshFactor(caller.principal, clock())
        const factor = await requireFactor(userId, id)
        const others = (await factors.list(userId)).filter((own) => own.id !== id)
        return toPlan(
          caller,
          ['delete_factor', { factor: [factor.name, null] }],
          [
            { do: 'delete', id },
            ...(others.some(isConfirmed) ? [] : [{ do: 'delete-codes-of', userId } as const]),
          ],
          undefined,
        )
      }),

    replaceRecoveryCodes: (caller: Caller, userId: string): Promise<readonly string[]> =>
      change(caller, async (caller) => {
        requireOwn(caller, userId)
        requireFreshFactor(caller.principal, clock())
        if (!(await factors.list(userId)).some(isConfirmed)) {
          throw new PlatformError(
            'InvalidStatusError',
            'You have no confirmed second factor. Recovery codes come with the first one.',
          )
        }
        const { codes, writes } = renewCodes(userId)
        return toPlan(caller, ['replace_recovery_codes', {}], writes, codes)
      }),

    resetFactors: (caller: Caller, userId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { principal, authorizedScope } = caller
        const user = await requireResource(registry, 'users', userId, authorizedScope)
        requirePerson(principal)
        requireFreshFactor(principal, clock())
        if (userId === principal.token.userId) {
          throw new PlatformError(
            'ForbiddenError',
            'You cannot reset your own second factors. Delete them, or ask another administrator.',
          )
        }
        const held = await registry.assignmentsOf({ kind: 'user', id: userId })
        requireNoSystemRole(authorizedScope, held)
        requireCanGrantAll(principal, held, 'reset the second factors of this user')
        const own = await factors.list(userId)
        if (own.length === 0) return noChange
        const action = {
          action: 'reset_factors',
          targetType: 'user',
          targetId: user.id,
          targetName: user.name,
          scope: { kind: 'domain', domainId: user.domain_id },
          changes: { factors: [own.map(({ name }) => name), null] } as Changes,
        } as const
        const by = principal.userStatus.user.name
        return {
          writes: [
            { do: 'factors', write: { do: 'delete-of', userId } },
            { do: 'factors', write: { do: 'delete-codes-of', userId } },
            { do: 'factors', write: { do: 'note-reset', userId, at: clock(), by } },
            { do: 'revoke-tokens', of: 'user', id: userId },
          ],
          events: [createAuditEvent(caller, action, clock)],
          result: undefined,
        }
      }),
  }

  async function requireNewFactor(userId: string, id: string): Promise<FactorRecord> {
    const factor = await requireFactor(userId, id)
    if (factor.confirmedAt === null) return factor
    throw new PlatformError('InvalidStatusError', 'The second factor is already confirmed.')
  }
}

function requirePerson({ token }: Caller['principal']): void {
  if (isPersonal(token.login)) return
  throw new PlatformError('ForbiddenError', 'A token of a program cannot change second factors.')
}

const wrongCode = () =>
  new PlatformError(
    'UnauthorizedError',
    'The code is wrong or was used before. After several failed attempts, further ones are delayed.',
  )
