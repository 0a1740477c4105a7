import { badField, loginFailed } from '../../error.ts'
import type { Registry } from '../administration/registry.ts'
import type { CheckPassword } from '../check-password.ts'
import type { LoginLimit } from '../login-limit.ts'
import { longestPassword } from '../password-rules.ts'
import type { Directory, MemberReference, Pseudonym } from '../ports.ts'
import type { ExternalIdentity, PasswordVerdict } from '../provider-driver.ts'
import type { FindPasswordProvider, PasswordProvider } from '../providers/password-providers.ts'
import type { ProvisionUser } from '../providers/provision-user.ts'
import type { PeopleSync } from '../providers/sync-people.ts'
import type { Credentials } from '../records.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { RequestedScope } from '../token-scope.ts'
import type { Clock } from '../../clock.ts'
import type { AuthenticationResult, AuthMethod } from './auth-method.ts'

const refusedByRule = 'local passwords are for break-glass users only'

interface Dependencies {
  readonly directory: Directory
  readonly registry: Pick<Registry, 'findLink'>
  readonly checkPassword: CheckPassword
  readonly findPasswordProvider: FindPasswordProvider
  readonly provisionUser: ProvisionUser
  readonly sync: Pick<PeopleSync, 'endPerson' | 'requestSync'>
  readonly loginLimit: Pick<LoginLimit, 'requirePassword'>
  readonly pseudonym: Pseudonym
  readonly clock: Clock
}

interface Attempt {
  readonly found: Credentials | undefined
  readonly reference: MemberReference
  readonly origin: RequestOrigin
  readonly requested: RequestedScope
}

/**
 * Login with a name or id and a password. Every failure takes the same time and is the same 401. Users
 * without a password, or whose domain refuses it, are checked by the provider of their domain, if it has
 * one for passwords.
 */
export function createPasswordMethod(dependencies: Dependencies): AuthMethod {
  const { directory, registry, checkPassword, findPasswordProvider } = dependencies
  const { provisionUser, sync, loginLimit, pseudonym, clock } = dependencies

  /** The name tells the provider who logs in. Who logs in by id must be the user of that person. */
  async function requireSameUser(
    { provider }: PasswordProvider,
    person: ExternalIdentity,
    { reference, found }: Attempt,
  ): Promise<void> {
    if (reference.id === undefined) return
    const link = await registry.findLink(provider.id, person.subject)
    if (link?.userId !== found?.user.id) throw loginFailed('another person', found?.user)
  }

  async function logInPerson(
    provider: PasswordProvider,
    verdict: PasswordVerdict,
    attempt: Attempt,
  ): Promise<AuthenticationResult> {
    const { found, origin, requested } = attempt
    const { label } = provider
    if ('refusal' in verdict) {
      const { refusal, disabledSubject, isUnknown } = verdict
      if (disabledSubject !== undefined) {
        await sync.endPerson(provider.provider, disabledSubject, origin)
      }
      // Removed, or renamed: a sync knows, and does not end many by mistake.
      if (isUnknown && found) sync.requestSync(provider.provider)
      const rule = found?.isPasswordRefused ? `; ${refusedByRule}` : ''
      throw loginFailed(`${label}: ${refusal}${rule}`, found?.user)
    }
    const { person } = verdict
    await requireSameUser(provider, person, attempt)
    const user = await provisionUser(provider.provider, person, { origin, requested, label })
    const confirmation = { providerId: provider.provider.id, subject: person.subject, at: clock() }
    return { user, preconditions: { confirmation } }
  }

  return {
    names: ['password'],
    section: 'password',
    async authenticate({ password: section }, origin, requested) {
      if (!section) throw badField('auth.identity.password', 'is required', 'MissingParameterError')
      const { password, ...reference } = section.user
      requireName(reference)
      if (Buffer.byteLength(password) > longestPassword) throw loginFailed('password too long')

      const { lookupKey, domainId, credentials: found } = await directory.findCredentials(reference)
      const userKey = found?.user.id ?? pseudonym(lookupKey)
      await loginLimit.requirePassword(userKey, origin.ip)
      const hash = found?.passwordHash ?? null
      const provider = await findPasswordProvider(domainId)
      const name = reference.name ?? found?.user.name ?? ''
      let verdict: PasswordVerdict | undefined

      async function askProvider(): Promise<boolean> {
        // Who has a password here never shows it to a provider.
        if (hash !== null) await provider?.askInVain()
        else verdict = await provider?.check(name, password)
        return verdict !== undefined && 'person' in verdict
      }
      const right = await checkPassword(userKey, origin.ip, hash, password, provider && askProvider)
      if (provider && verdict) {
        return await logInPerson(provider, verdict, { found, reference, origin, requested })
      }
      if (found?.isPasswordRefused) {
        throw loginFailed(refusedByRule, found.user)
      }
      if (!found || !right || hash === null) {
        throw loginFailed('wrong name or password, or delayed', found?.user)
      }
      if (hasEnded(found.passwordExpiresAt, clock())) {
        throw loginFailed('password expired', found.user)
      }
      const { user, isBreakGlass } = found
      return {
        user,
        isBreakGlass,
        preconditions: { password: { hash, isRestricted: isBreakGlass } },
      }
    },
  }
}

const hasEnded = (end: number | null, now: number) => end !== null && end <= now

function requireName({ id, name }: MemberReference): void {
  if (id === undefined && name === undefined) {
    throw badField('auth.identity.password.user', 'needs an id or a name', 'MissingParameterError')
  }
}
