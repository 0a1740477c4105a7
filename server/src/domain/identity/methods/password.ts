import type { IdentityRequest } from '@muster/contract'
import { badField, loginFailed } from '../../error.ts'
import type { Registry } from '../administration/registry.ts'
import type { CheckPassword, FactorResult } from '../check-password.ts'
import type { CheckPasscode } from '../factors/check-passcode.ts'
import { factorRequired } from '../factors/required-factor.ts'
import type { LoginLimit } from '../login-limit.ts'
import { longestPassword } from '../password-rules.ts'
import type { Directory, FactorUse, MemberReference, Pseudonym } from '../ports.ts'
import type { ExternalIdentity, PasswordVerdict } from '../provider-driver.ts'
import type { FindPasswordProvider, PasswordProvider } from '../providers/password-providers.ts'
import type { ProvisionUser } from '../providers/provision-user.ts'
import type { PeopleSync } from '../providers/sync-people.ts'
import type { Credentials } from '../records.ts'
import type { RequestOrigin } from '../../request-origin.ts'
import type { RequestedScope } from '../token-scope.ts'
import type { Clock } from '../../clock.ts'
import type { AuthenticationResult, AuthMethod } from './auth-method.ts'

const wrongFactor = 'the second factor is wrong or missing'
const refusedByRule = 'local passwords are for break-glass users only'

interface Dependencies {
  readonly directory: Directory
  readonly registry: Pick<Registry, 'findLink'>
  readonly checkPassword: CheckPassword
  readonly checkPasscode: CheckPasscode['checkPasscode']
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
  readonly factorUse: () => FactorUse | undefined
}

/**
 * Login with a name or id and a password. Every failure takes the same time and is the same 401. Users
 * without a password, or whose domain refuses it, are checked by the provider of their domain, if it has
 * one for passwords.
 */
export function createPasswordMethod(dependencies: Dependencies): AuthMethod {
  const { directory, registry, checkPassword, checkPasscode, findPasswordProvider } = dependencies
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
    const { found, origin, requested, factorUse } = attempt
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
    const preconditions = { confirmation, ...withFactor(factorUse()) }
    return { user, preconditions }
  }

  async function namesSameUser(
    named: NonNullable<IdentityRequest['totp']>['user'],
    lookupKey: string,
    found: Credentials | undefined,
  ): Promise<boolean> {
    if (named.id === undefined && named.name === undefined) return true
    const other = await directory.findCredentials(named)
    const id = other.credentials?.user.id
    return other.lookupKey === lookupKey || (id !== undefined && id === found?.user.id)
  }

  return {
    names: ['password'],
    section: 'password',
    async authenticate({ password: section, totp }, origin, requested, _link, tellsMissingCode) {
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
      const isSameUser = totp === undefined || (await namesSameUser(totp.user, lookupKey, found))
      let passcode = await checkPasscode(found?.user.id ?? '', totp?.user.passcode)
      let factor = 'wrong' as FactorResult
      const checkFactor = (): FactorResult => {
        if (totp) factor = passcode.use && isSameUser ? 'right' : 'wrong'
        else if (!passcode.hasFactor) factor = 'right'
        else factor = tellsMissingCode ? 'missing' : 'wrong'
        return factor
      }
      let verdict: PasswordVerdict | undefined

      async function askProvider(): Promise<boolean> {
        // Who has a password here never shows it to a provider.
        if (hash !== null) await provider?.askInVain()
        else verdict = await provider?.check(name, password)
        if (!provider || !verdict || !('person' in verdict)) return false
        // The name at the provider may be that of another user here.
        const link = await registry.findLink(provider.provider.id, verdict.person.subject)
        passcode = await checkPasscode(link?.userId ?? '', totp?.user.passcode)
        return true
      }
      const right = await checkPassword(userKey, origin.ip, hash, password, {
        askProvider: provider && askProvider,
        checkFactor,
      })
      const factorUse = () => passcode.use
      if (provider && verdict) {
        if (factor === 'missing') throw factorRequired('log_in')
        if ('person' in verdict && !right)
          throw loginFailed(`${provider.label}: ${wrongFactor}`, found?.user)
        const attempt = { found, reference, origin, requested, factorUse }
        return await logInPerson(provider, verdict, attempt)
      }
      if (factor === 'missing') throw factorRequired('log_in')
      if (found?.isPasswordRefused) {
        throw loginFailed(refusedByRule, found.user)
      }
      if (!found || !right || hash === null) {
        throw loginFailed('wrong name, password or second factor, or delayed', found?.user)
      }
      if (hasEnded(found.passwordExpiresAt, clock())) {
        throw loginFailed('password expired', found.user)
      }
      const { user, isBreakGlass } = found
      const preconditions = {
        password: { hash, isRestricted: isBreakGlass },
        ...withFactor(passcode.use),
      }
      return { user, isBreakGlass, preconditions }
    },
  }
}

const hasEnded = (end: number | null, now: number) => end !== null && end <= now

const withFactor = (factorUse: FactorUse | undefined) => (factorUse ? { factorUse } : {})

function requireName({ id, name }: MemberReference): void {
  if (id === undefined && name === undefined) {
    throw badField('auth.identity.password.user', 'needs an id or a name', 'MissingParameterError')
  }
}
