import { hash } from 'node:crypto'
import type { LocalPasswordsDto, LocalPasswordsRequest } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { badField, PlatformError } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { isPersonal } from '../login-rules.ts'
import { refuseAccessKeyToken } from './authority.ts'
import { createChangePlans, joinPlans, noChange, type Change } from './change-plan.ts'
import type { PasswordUser, Registry } from './registry.ts'
import { requireResource } from './require-resource.ts'
import type { Domain } from './resources.ts'

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly clock: Clock
}

/** The maximum number of names in a response. */
const mostNames = 100

const toNames = (users: readonly PasswordUser[]) =>
  users.slice(0, mostNames).map(({ id, name }) => ({ id, name }))

/** Who may log in with a password of Muster: everybody of a domain, or its break-glass users only. */
export function createLocalPasswordUseCases({ registry, change, clock }: Dependencies) {
  const plans = createChangePlans('domains', { registry, clock })

  /** Whoever restricts passwords has just shown that people can log in another way. */
  async function isThroughProvider({ principal }: Caller, { id }: Domain): Promise<boolean> {
    const { providerId, login } = principal.token
    const provider =
      providerId === null || !isPersonal(login)
        ? undefined
        : await registry.find('identity_providers', providerId, everywhere)
    return provider?.enabled === true && provider.domain_id === id
  }

  /** Why the caller cannot take or bring back the passwords, if so. */
  function findMissingRole(caller: Caller, { losing }: Affected): PlatformError | undefined {
    const isAbove = losing.some(({ hasSystemRole }) => hasSystemRole)
    if (!isAbove || caller.authorizedScope.scope.kind === 'system') return undefined
    return new PlatformError(
      'ForbiddenError',
      'A user whose password this concerns has a role on the system. Only system administrators can do this.',
    )
  }

  /** Why the caller cannot restrict the passwords, if so. */
  async function findRefusal(
    caller: Caller,
    domain: Domain,
    { lasting }: Affected,
  ): Promise<PlatformError | undefined> {
    if (!(await isThroughProvider(caller, domain))) {
      return new PlatformError(
        'ForbiddenError',
        'Only who has logged in through an identity provider of this domain can do this, so that it is known to work. Log in there, and try again.',
      )
    }
    if (lasting.length >= 2) {
      return (await registry.takesLastPassword(domain.id)) ? takesLastPassword() : undefined
    }
    return new PlatformError(
      'ConflictError',
      'The domain needs two break-glass users at least, who are enabled, do not expire and have a password. Set "break_glass" of them first.',
    )
  }

  return {
    updateLocalPasswords: (caller: Caller, domainId: string, request: LocalPasswordsRequest) =>
      change(caller, async (caller) => {
        const { value, dry_run: isDryRun = false, preview } = request
        const { principal, authorizedScope } = caller
        const domain = await requireResource(registry, 'domains', domainId, authorizedScope)
        refuseAccessKeyToken(principal, 'change who can log in with a password')
        const isChanged = domain.local_passwords !== value
        const isRestricted = isChanged && value === 'break_glass'
        const affected = sortUsers(await registry.listPasswordUsers(domainId, clock()))
        const { breakGlass, losing } = affected
        const stranded = isRestricted ? losing.filter(({ isLinked }) => !isLinked) : []
        const refusal =
          (isChanged ? findMissingRole(caller, affected) : undefined) ??
          (isRestricted ? await findRefusal(caller, domain, affected) : undefined)
        const result: LocalPasswordsDto = {
          value,
          break_glass_users: toNames(breakGlass),
          lose_password: isRestricted ? losing.length : 0,
          lose_access: stranded.length,
          lose_access_users: toNames(stranded),
          problem: refusal?.message ?? '',
          preview: digestOf(domain, affected),
        }
        if (isDryRun || !isChanged) return joinPlans([noChange], result)
        if (refusal) throw refusal
        if (isRestricted) requirePreview(preview, result)
        const plan = await plans.toUpdate(
          caller,
          domain,
          { local_passwords: value, local_passwords_since: isRestricted ? clock() : null },
          {
            writes: isRestricted
              ? [{ do: 'revoke-tokens', of: 'refused-password', id: domainId }]
              : [],
          },
        )
        return { ...plan, result }
      }),
  }
}

const takesLastPassword = () =>
  new PlatformError(
    'ConflictError',
    'No system administrator could log in without an identity provider any more. First mark one as break-glass.',
  )

interface Affected {
  readonly breakGlass: readonly PasswordUser[]
  /** The break-glass users who count. */
  readonly lasting: readonly PasswordUser[]
  /** Everybody else who has a password. */
  readonly losing: readonly PasswordUser[]
}

const sortUsers = (users: readonly PasswordUser[]): Affected => ({
  breakGlass: users.filter(({ isBreakGlass }) => isBreakGlass),
  lasting: users.filter(({ isLasting }) => isLasting),
  losing: users.filter(({ isBreakGlass }) => !isBreakGlass),
})

/** Changes with each user who is named or counted in a preview. */
const digestOf = ({ id }: Domain, { breakGlass, losing }: Affected): string =>
  hash(
    'sha256',
    JSON.stringify([
      id,
      breakGlass.map((user) => user.id),
      losing.map((user) => [user.id, user.isLinked]),
    ]),
    'base64url',
  )

function requirePreview(preview: string | undefined, current: LocalPasswordsDto): void {
  if (preview === undefined) {
    const problem = 'is required: send the value of a response with dry_run'
    throw badField('local_passwords.preview', problem, 'MissingParameterError')
  }
  if (preview === current.preview) return
  throw new PlatformError(
    'ConflictError',
    'The users of the domain, their passwords or logins changed since the preview. Ask for a new one with dry_run.',
  )
}
