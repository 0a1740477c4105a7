import { newNamePattern } from '@muster/contract'
import { createEvent } from '../../audit/create-event.ts'
import { loginFailed } from '../../error.ts'
import { fieldsOfNew } from '../../audit/field-diff.ts'
import type { ChangePlan, Link, Registry, StoredLink, Write } from '../administration/registry.ts'
import type { IdentityProvider, User } from '../administration/resources.ts'
import { everywhere } from '../../scope.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import type { UserSummary } from '../../user-summary.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { RequestedScope } from '../token-scope.ts'
import { createFindLinkProblem } from './find-link-problem.ts'
import { createHasRoleThere } from './has-role-there.ts'
import { linkedLogin } from './linked-login.ts'
import { countRoles, createMapRoles, planRoles } from './map-roles.ts'
import { planRevival } from './sync-people.ts'
import type { ExternalIdentity } from '../provider-driver.ts'

const newName = new RegExp(newNamePattern, 'u')

export interface ProviderLogin {
  readonly origin: RequestOrigin
  readonly requested: RequestedScope
  /** What the audit log calls the driver. */
  readonly label: string
  /** The id of the user to whom a subject that is not known yet is linked, instead of a new user. */
  readonly linkTo?: string | undefined
}

/**
 * Plans the login of a subject: the first one creates the user, and each one grants exactly the roles of the
 * current mapping. A user that the provider did not create is never taken over, whatever the name. Throws
 * the one 401 for a login that is refused.
 */
export function createPlanLogin(registry: Registry, clock: Clock) {
  const mapRoles = createMapRoles(registry)
  const hasRoleThere = createHasRoleThere(registry)
  const findLinkProblem = createFindLinkProblem(registry)

  /** A login enables a user again whom a sync with that provider disabled. */
  async function findUser(
    id: string | undefined,
    link: StoredLink | undefined,
  ): Promise<User | undefined> {
    const user = id === undefined ? undefined : await registry.find('users', id, everywhere)
    if (!user) return undefined
    const hasEnded = user.expires_at !== null && user.expires_at <= clock()
    const isRevived = link?.userId === user.id && link.endedAt !== null
    if (hasEnded || (!user.enabled && !isRevived)) {
      throw loginFailed('user disabled, expired or deleted', toSummary(user))
    }
    return user
  }

  async function requireLinkable(
    provider: IdentityProvider,
    { subject }: ExternalIdentity,
    user: User | undefined,
    label: string,
  ): Promise<void> {
    const problem = user ? await findLinkProblem(provider, subject, user) : 'no such user'
    if (problem !== undefined) throw loginFailed(`${label}: ${problem}`, user && toSummary(user))
  }

  async function makeUser(
    provider: IdentityProvider,
    { subject, profile = { name: subject } }: ExternalIdentity,
    label: string,
  ): Promise<User> {
    const { name, displayname = '', email = '' } = profile
    if (provider.options['create_users'] === false) {
      throw loginFailed(`${label}: "${name}" has no user, and the provider creates none`)
    }
    if (name === '') throw loginFailed(`${label}: the provider sends no name for a new user`)
    // Only for new users: a known subject stays the same user whatever its name.
    if (!newName.test(name))
      throw loginFailed(`${label}: the user name has characters that a new name must not have`)
    if (await registry.isNameTaken('users', name, provider.domain_id)) {
      throw loginFailed(`${label}: "${name}" is a user that the provider did not create`)
    }
    return {
      id: newId(),
      name,
      domain_id: provider.domain_id,
      description: `From ${provider.name}`,
      enabled: true,
      break_glass: false,
      service_account: false,
      owner_id: null,
      purpose: '',
      displayname,
      email,
      mobile: '',
      default_project_id: null,
      password_expires_at: null,
      expires_at: null,
      last_login_at: null,
      created_at: clock(),
    }
  }

  return async function planLogin(
    provider: IdentityProvider,
    person: ExternalIdentity,
    login: ProviderLogin,
  ): Promise<ChangePlan<UserSummary>> {
    const link = await registry.findLink(provider.id, person.subject)
    const found = await findUser(login.linkTo ?? link?.userId, link)
    if (login.linkTo !== undefined) await requireLinkable(provider, person, found, login.label)
    const user = found ?? (await makeUser(provider, person, login.label))
    const roles = await mapRoles(provider, person, user.id)
    // Before anything is written.
    if (!(await hasRoleThere(user, login.requested, roles))) {
      throw loginFailed('no role there', toSummary(user))
    }
    const arrival: Write[] = [
      ...(found ? [] : ([{ do: 'insert', kind: 'users', row: user }] as const)),
      ...(link
        ? planRevival(link)
        : ([{ do: 'link', link: linkOf(provider, person, user) }] as const)),
    ]
    const mapped = isOutdated(link, person) ? [] : await planRoles(registry, provider.id, roles)
    const auditedAction = {
      action: found ? (link ? 'map' : 'link') : 'create',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domain_id },
      changes: {
        ...(found ? !link && linkedLogin(provider, person.subject) : fieldsOfNew(user)),
        ...(found?.enabled === false && { enabled: [false, true] as [unknown, unknown] }),
        ...(mapped.length > 0 && { assignments: countRoles(mapped) }),
      },
    } as const
    return {
      writes: [...arrival, ...mapped],
      events: [
        createEvent({
          user,
          origin: login.origin,
          action: auditedAction,
          result: 'success',
          time: clock(),
        }),
      ],
      result: toSummary(user),
    }
  }
}

/** Not said after what was said last. Roles that were taken away since must not come back. */
const isOutdated = (link: Link | undefined, { saidAt }: ExternalIdentity): boolean =>
  saidAt !== undefined && link !== undefined && saidAt <= link.confirmedAt

/** The login that follows confirms it. */
const linkOf = ({ id }: IdentityProvider, { subject }: ExternalIdentity, user: User): Link => ({
  providerId: id,
  subject,
  userId: user.id,
  confirmedAt: 0,
})

const toSummary = ({ id, name, domain_id }: User): UserSummary => ({
  id,
  name,
  domainId: domain_id,
})
