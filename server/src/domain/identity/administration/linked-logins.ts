import type { LinkResultDto, NewLinkedLogin } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import type { Directory } from '../ports.ts'
import { createFindLinkProblem } from '../providers/find-link-problem.ts'
import { linkedLogin } from '../providers/linked-login.ts'
import {
  refuseAccessKeyToken,
  refuseRestrictedKey,
  requireCanGrantAll,
  requireNoSystemRole,
} from './authority.ts'
import { createChangePlans, joinPlans, type Change } from './change-plan.ts'
import { requireCanRevokeMapped } from './provider-mapping.ts'
import type { ChangePlan, Link, Registry } from './registry.ts'
import { requireResource } from './require-resource.ts'
import type { IdentityProvider, User } from './resources.ts'

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly directory: Pick<Directory, 'findCredentials'>
  readonly clock: Clock
}

/** What happens to one entry of a list. */
interface Examined {
  readonly entry: NewLinkedLogin
  readonly user: User | undefined
  readonly result: LinkResultDto['result']
  readonly problem: string
  /** The caller may not do it. */
  readonly denial?: PlatformError
  readonly plan?: ChangePlan<undefined>
}

/** Logins of users at identity providers. Linking one keeps roles and access keys. */
export function createLinkedLoginUseCases(dependencies: Dependencies) {
  const { registry, change, directory, clock } = dependencies
  const plans = createChangePlans('users', { registry, clock })
  const findLinkProblem = createFindLinkProblem(registry)

  /** Whoever has the login at the provider can act as the user. */
  async function findDenial({ principal, authorizedScope }: Caller, { id }: User) {
    try {
      const held = await registry.assignmentsOf({ kind: 'user', id })
      if (id === principal.token.userId) refuseAccessKeyToken(principal, 'link a login')
      requireNoSystemRole(authorizedScope, held)
      requireCanGrantAll(principal, held, 'link a login to this user')
      return undefined
    } catch (error) {
      if (error instanceof PlatformError && error.class === 'ForbiddenError') return error
      throw error
    }
  }

  async function examine(caller: Caller, entry: NewLinkedLogin): Promise<Examined> {
    const { user_id, provider_id, subject } = entry
    const { authorizedScope } = caller
    const user = await registry.find('users', user_id, authorizedScope)
    const refuse = (problem: string, denial?: PlatformError): Examined => ({
      entry,
      user,
      result: 'refused',
      problem,
      ...(denial && { denial }),
    })
    if (!user) return refuse('There is no such user, or you do not have access to it.')
    const provider = await registry.find('identity_providers', provider_id, authorizedScope)
    if (!provider) return refuse('There is no such provider, or you do not have access to it.')
    const denial = await findDenial(caller, user)
    if (denial) return refuse(denial.message, denial)
    const problem = await findLinkProblem(provider, subject, user)
    if (problem !== undefined) return refuse(problem)
    const isLinked = (await registry.findLink(provider_id, subject)) !== undefined
    if (isLinked) return { entry, user, result: 'unchanged', problem: '' }
    const link = { providerId: provider_id, subject, userId: user_id, confirmedAt: clock() }
    const changes = linkedLogin(provider, subject)
    const plan = await plans.toRelate(caller, 'link', user, changes, { do: 'link', link })
    return { entry, user, result: 'link', problem: '', plan }
  }

  /** Of entries that exclude each other, none is chosen for the caller. */
  function refuseRepeated(examined: readonly Examined[]): Examined[] {
    const count = (keyOf: (entry: NewLinkedLogin) => string) =>
      Map.groupBy(examined, ({ entry }) => keyOf(entry))
    const subjectOf = ({ provider_id, subject }: NewLinkedLogin) => `${provider_id} ${subject}`
    const loginOf = ({ provider_id, user_id }: NewLinkedLogin) => `${provider_id} ${user_id}`
    const [bySubject, byLogin] = [count(subjectOf), count(loginOf)]
    return examined.map((item) => {
      const isAlone =
        bySubject.get(subjectOf(item.entry))?.length === 1 &&
        byLogin.get(loginOf(item.entry))?.length === 1
      if (isAlone || item.result === 'refused') return item
      const problem = 'The list has the subject, or the user at this provider, more than once.'
      return { entry: item.entry, user: item.user, result: 'refused', problem }
    })
  }

  async function requireOtherLogin({ id }: User, others: readonly Link[]): Promise<void> {
    const { credentials } = await directory.findCredentials({ id })
    const { passwordHash = null, passwordExpiresAt: end = null } = credentials ?? {}
    if (passwordHash !== null && (end === null || end > clock())) return
    for (const { providerId } of others) {
      const provider = await registry.find('identity_providers', providerId, everywhere)
      if (provider?.enabled) return
    }
    throw new PlatformError(
      'InvalidStatusError',
      'The user has no other login. Set a password first, or disable the user.',
    )
  }

  return {
    async getLinkedLogins({ authorizedScope }: Caller, userId: string) {
      await requireResource(registry, 'users', userId, authorizedScope)
      const logins: { link: Link; provider: IdentityProvider }[] = []
      for (const link of await registry.listLinks({ userId })) {
        const provider = await registry.find('identity_providers', link.providerId, everywhere)
        if (provider) logins.push({ link, provider })
      }
      return logins
    },

    /** All of them or none. */
    linkLogins: (caller: Caller, entries: readonly NewLinkedLogin[], isDryRun: boolean) =>
      change(caller, async (caller) => {
        refuseRestrictedKey(caller.principal, 'link logins')
        const found: Examined[] = []
        for (const entry of entries) found.push(await examine(caller, entry))
        const examined = refuseRepeated(found)
        const results = examined.map(({ entry, user, result, problem }): LinkResultDto => ({
          ...entry,
          user_name: user?.name ?? '',
          result,
          problem,
        }))
        if (isDryRun) return joinPlans([], results)
        const denial = examined.find((item) => item.denial)?.denial
        if (denial) throw denial
        requireNoneRefused(results)
        return joinPlans(
          examined.flatMap(({ plan }) => plan ?? []),
          results,
        )
      }),

    unlinkLogin: (caller: Caller, userId: string, providerId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { principal, authorizedScope } = caller
        const user = await requireResource(registry, 'users', userId, authorizedScope)
        if (userId === principal.token.userId) refuseAccessKeyToken(principal, 'unlink a login')
        else {
          const held = await registry.assignmentsOf({ kind: 'user', id: userId })
          requireNoSystemRole(authorizedScope, held)
        }
        const links = await registry.listLinks({ userId })
        const link = links.find((candidate) => candidate.providerId === providerId)
        const provider = link && (await registry.find('identity_providers', providerId, everywhere))
        if (!provider) {
          throw new PlatformError(
            'ResourceNotFoundError',
            'The user has no login at this identity provider.',
          )
        }
        await requireOtherLogin(
          user,
          links.filter((candidate) => candidate !== link),
        )
        const what = 'unlink this login'
        const mapped = await requireCanRevokeMapped(registry, principal, what, providerId, userId)
        const [, subject] = linkedLogin(provider, link.subject).linked_login
        const changes = { linked_login: [subject, null] as [unknown, unknown] }
        const plan = await plans.toRelate(caller, 'unlink', user, changes, { do: 'unlink', link })
        return {
          ...plan,
          writes: [
            ...plan.writes,
            ...mapped.map((grant) => ({ do: 'revoke', grant, providerId }) as const),
            { do: 'end-logins', providerId, userId },
          ],
        }
      }),
  }
}

function requireNoneRefused(results: readonly LinkResultDto[]): void {
  const fields = results.flatMap(({ result, problem }, index) =>
    result === 'refused' ? [{ path: `linked_logins.${index}`, problem }] : [],
  )
  const [first] = fields
  if (!first) return
  throw new PlatformError(
    'ConflictError',
    `Nothing was linked, because ${fields.length} of ${results.length} are refused. ${first.path}: ${first.problem}`,
    { fields },
  )
}
