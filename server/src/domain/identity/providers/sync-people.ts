import { createEvent } from '../../audit/create-event.ts'
import type { Changes } from '../../audit/event.ts'
import type { EventStore } from '../../audit/event-store.ts'
import type { Clock } from '../../clock.ts'
import { PlatformError } from '../../error.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import { everywhere } from '../../scope.ts'
import { noChange } from '../administration/change-plan.ts'
import {
  all,
  type ChangePlan,
  type Registry,
  type StoredLink,
  type Write,
} from '../administration/registry.ts'
import type { IdentityProvider, User } from '../administration/resources.ts'
import type { TokenStore } from '../ports.ts'
import type { PasswordDriver, Person, ProviderDriver } from '../provider-driver.ts'
import type { DecryptOptions } from './decrypt-options.ts'
import { linkedLogin } from './linked-login.ts'
import { countRoles, createMapRoles, hasGrant, planRoles } from './map-roles.ts'
import { passwordDrivers } from './password-providers.ts'

const minute = 60_000
const inBackground: RequestOrigin = { ip: '', requestId: '', isConfidential: false }

interface Dependencies {
  readonly registry: Registry
  readonly drivers: readonly ProviderDriver[]
  readonly decryptOptions: DecryptOptions
  readonly tokens: Pick<TokenStore, 'useOnce'>
  readonly events: EventStore
  readonly clock: Clock
}

type PlanOfUser = (
  user: User,
  link: StoredLink,
  provider: IdentityProvider,
) => Promise<ChangePlan<undefined>>

/** Enables a user again whom a sync disabled. */
export const planRevival = (link: StoredLink): readonly Write[] =>
  link.endedAt === null
    ? []
    : [
        ...(link.isEnabled
          ? []
          : [
              {
                do: 'update',
                kind: 'users',
                id: link.userId,
                changes: { enabled: true },
              } as const,
            ]),
        { do: 'mark-ended', link, endedAt: null },
      ]

/** Reads the people of identity providers again, in the background, and ends those who are gone. */
export function createPeopleSync(dependencies: Dependencies) {
  const { registry, drivers, decryptOptions, tokens, events, clock } = dependencies
  const mapRoles = createMapRoles(registry)
  const byName = new Map(passwordDrivers(drivers).map((driver) => [driver.names[0], driver]))

  const lastTurns = new Map<string, string>()
  const requested = new Set<string>()

  const toEvent = (user: User, origin: RequestOrigin, changes: Changes) =>
    createEvent({
      user: undefined,
      origin,
      action: {
        action: 'map',
        targetType: 'user',
        targetId: user.id,
        targetName: user.name,
        scope: { kind: 'domain', domainId: user.domain_id },
        changes,
      },
      result: 'success',
      time: clock(),
    })

  /** Plans a change of the user of a subject, unless the provider or the user was changed meanwhile. */
  const changeUser = ({ id }: IdentityProvider, subject: string, plan: PlanOfUser) =>
    registry.applyChange(async () => {
      const provider = await registry.find('identity_providers', id, everywhere)
      const link = await registry.findLink(id, subject)
      const user = link && (await registry.find('users', link.userId, everywhere))
      return provider?.enabled && link && user ? await plan(user, link, provider) : noChange
    })

  /**
   * The last administrator stays one: then only as much as that leaves. Resolves with what an operator must
   * know then, so that a sync goes on with the others.
   */
  async function changeAsFarAsPossible(
    provider: IdentityProvider,
    subject: string,
    plan: PlanOfUser,
    smaller: PlanOfUser,
  ): Promise<string | undefined> {
    try {
      await changeUser(provider, subject, plan)
      return undefined
    } catch (error) {
      const wouldLockOut = error instanceof PlatformError && error.class === 'ConflictError'
      if (!wouldLockOut) throw error
      await changeUser(provider, subject, smaller)
      const link = await registry.findLink(provider.id, subject)
      const user = link && (await registry.find('users', link.userId, everywhere))
      return `user ${user?.name ?? subject}: ${error.message}`
    }
  }

  /** A break-glass user does not depend on the provider, so only the logins there end. */
  function planEndOfLogins(
    provider: IdentityProvider,
    user: User,
    link: StoredLink,
    origin: RequestOrigin,
  ) {
    if (link.endedAt !== null) return noChange
    const [, login] = linkedLogin(provider, link.subject).linked_login
    return {
      writes: [
        { do: 'end-logins', providerId: link.providerId, userId: link.userId },
        { do: 'mark-ended', link, endedAt: clock() },
      ],
      events: [toEvent(user, origin, { linked_login: [login, null] })],
      result: undefined,
    } satisfies ChangePlan<undefined>
  }

  /** Ends a person whom the provider disabled or removed: their tokens, sessions and access keys. */
  const endPerson = (provider: IdentityProvider, subject: string, origin: RequestOrigin) =>
    changeAsFarAsPossible(
      provider,
      subject,
      async (user, link) => {
        if (!user.enabled) return noChange
        const domain = await registry.find('domains', user.domain_id, everywhere)
        if (user.break_glass && domain?.local_passwords === 'break_glass') {
          return planEndOfLogins(provider, user, link, origin)
        }
        return {
          writes: [
            { do: 'update', kind: 'users', id: user.id, changes: { enabled: false } },
            { do: 'revoke-tokens', of: 'user', id: user.id },
            { do: 'mark-ended', link, endedAt: clock() },
          ],
          events: [toEvent(user, origin, { enabled: [true, false] })],
          result: undefined,
        }
      },
      async (user, link) => planEndOfLogins(provider, user, link, origin),
    )

  const planUpdate =
    (person: Person, counts: (write: Write) => boolean = () => true): PlanOfUser =>
    async (user, link, provider) => {
      const roles = await mapRoles(provider, person, user.id)
      const mapped = (await planRoles(registry, provider.id, roles)).filter(counts)
      const writes = [...planRevival(link), ...mapped]
      if (writes.length === 0) return noChange
      const changes = {
        ...(link.endedAt !== null &&
          !user.enabled && { enabled: [false, true] as [unknown, unknown] }),
        ...(mapped.length > 0 && { assignments: countRoles(mapped) }),
      }
      return { writes, events: [toEvent(user, inBackground, changes)], result: undefined }
    }

  const updatePerson = (provider: IdentityProvider, person: Person) =>
    changeAsFarAsPossible(
      provider,
      person.subject,
      planUpdate(person),
      planUpdate(person, ({ do: change }) => change !== 'revoke'),
    )

  /** Whether a sync would take a role from somebody that the mapping still offers. */
  async function losesRole(provider: IdentityProvider, { userId }: StoredLink, person: Person) {
    const { given, wanted, offered } = await mapRoles(provider, person, userId)
    const held = given.filter((grant) => hasGrant(offered, grant))
    return { held: held.length > 0, lost: held.some((grant) => !hasGrant(wanted, grant)) }
  }

  /** An error of the provider can look like an answer: then many are affected at once. */
  function requireFew(count: number, of: number, limit: number, what: string): void {
    if (count <= 1 || count * 100 <= of * limit) return
    throw new Error(
      `nothing was changed, because ${count} of ${of} people would ${what}. If that is right, set sync_limit to 100`,
    )
  }

  async function syncProvider(provider: IdentityProvider, driver: PasswordDriver): Promise<void> {
    const links = await registry.listLinks({ providerId: provider.id })
    const active = links.filter(({ isEnabled }) => isEnabled)
    const options = await decryptOptions(provider)
    const people = await driver.readPeople(
      options,
      links.map(({ subject }) => subject),
    )
    const limit = Number(options['sync_limit'] ?? 50)
    const gone = active.filter(({ subject }) => people.get(subject)?.isDisabled !== false)
    // A break-glass user stays enabled after the logins there have ended, and would be counted in each sync.
    const newlyGone = gone.filter(({ endedAt }) => endedAt === null)
    requireFew(newlyGone.length, active.length, limit, 'end')
    const [holders, losers] = [new Set<string>(), new Set<string>()]
    for (const link of active) {
      const person = people.get(link.subject)
      if (!person || person.isDisabled) continue
      const { held, lost } = await losesRole(provider, link, person)
      if (held) holders.add(link.subject)
      if (lost) losers.add(link.subject)
    }
    requireFew(losers.size, holders.size, limit, 'lose roles')
    const problems: (string | undefined)[] = []
    for (const { subject } of gone) problems.push(await endPerson(provider, subject, inBackground))
    for (const person of people.values()) {
      if (!person.isDisabled) problems.push(await updatePerson(provider, person))
    }
    const told = problems.filter((problem) => problem !== undefined)
    if (told.length > 0) throw new Error(`all but this was done: ${told.join(' ')}`)
  }

  /** Of several processes, one does each sync. */
  async function isDue({ id }: IdentityProvider, minutes: number): Promise<boolean> {
    if (minutes === 0) return false
    if (requested.delete(id)) return true
    const at = clock()
    const turn = `sync:${id}:${minutes}:${Math.floor(at / (minutes * minute))}`
    if (lastTurns.get(id) === turn) return false
    lastTurns.set(id, turn)
    return await tokens.useOnce({ id: turn, address: '', at, grace: 0 })
  }

  return {
    endPerson,

    /** Syncs a provider without waiting for its turn: somebody seems to be gone. */
    requestSync: ({ id }: IdentityProvider): void => void requested.add(id),

    /** Syncs each provider whose turn it is, and returns why some failed. */
    async syncDue(): Promise<readonly string[]> {
      const { items } = await registry.list(
        'identity_providers',
        everywhere,
        all({ enabled: true }),
      )
      const problems: string[] = []
      for (const provider of items) {
        const driver = byName.get(provider.driver)
        if (!driver || !(await isDue(provider, driver.syncMinutes(provider.options)))) continue
        try {
          await syncProvider(provider, driver)
        } catch (error) {
          const reason = `${provider.name}: ${(error as Error).message}`
          problems.push(reason)
          await events.record(failureOf(provider, reason))
        }
      }
      return problems
    },
  }

  function failureOf(provider: IdentityProvider, reason: string) {
    return createEvent({
      user: undefined,
      origin: inBackground,
      action: {
        action: 'sync',
        targetType: 'identity_provider',
        targetId: provider.id,
        targetName: provider.name,
        scope: { kind: 'domain', domainId: provider.domain_id },
        changes: { reason: [null, reason] },
      },
      result: 'failure',
      time: clock(),
    })
  }
}
export type PeopleSync = ReturnType<typeof createPeopleSync>
