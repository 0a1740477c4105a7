import type { Token, TokenRequest } from '@muster/contract'
import { loginFailed, PlatformError } from '../error.ts'
import { breakGlassLogin, createLoginEvent } from '../audit/create-login-event.ts'
import { isWithin } from '../networks.ts'
import type { EventStore } from '../audit/event-store.ts'
import type { DescribeToken } from './describe-token.ts'
import { chooseMethod, type AuthMethod, type AuthenticationResult } from './methods/auth-method.ts'
import type { LoginLimit } from './login-limit.ts'
import type { TokenStore } from './ports.ts'
import type { Clock } from '../clock.ts'
import { endOfToken, networksFor, usesExemption } from './login-rules.ts'
import { createPrincipal } from './principal.ts'
import type { Login, UserStatus, TokenRecord } from './records.ts'
import type { UserSummary } from '../user-summary.ts'
import type { RequestOrigin } from '../request-origin.ts'
import {
  grantScope,
  credentialScope,
  readRequestedScope,
  toTokenScope,
  type RequestedScope,
} from './token-scope.ts'
import { summarizeUser, type FindUserStatus } from './user-status.ts'
import { mintToken } from './token-secret.ts'

const sources: ReadonlySet<string> = new Set(['web', 'api', 'cli', 'srv'])

interface Dependencies {
  readonly methods: readonly AuthMethod[]
  readonly findUserStatus: FindUserStatus
  readonly tokens: TokenStore
  readonly events: EventStore
  readonly loginLimit: Pick<LoginLimit, 'countFailure' | 'isScopeRefusalRecorded'>
  readonly describeToken: DescribeToken
  readonly clock: Clock
  /** Milliseconds. */
  readonly lifetime: number
}

export interface IssuedToken {
  /** Returned to the caller once, stored nowhere. */
  readonly secret: string
  readonly token: Token
}

/** Issues a token for a credential. Only this file knows the order of the steps. */
export function createIssueToken(dependencies: Dependencies) {
  const { methods, findUserStatus, tokens, events, loginLimit, describeToken, clock, lifetime } =
    dependencies

  const endOf = (
    issuedAt: number,
    login: Login,
    authenticated: AuthenticationResult,
    { user }: UserStatus,
  ) => {
    const expiresAt = Math.min(
      issuedAt + lifetime,
      authenticated.expiresAt ?? Infinity,
      user.expiresAt ?? Infinity,
    )
    return endOfToken({ expiresAt, login }, user)
  }

  async function issueFor(
    authenticated: AuthenticationResult,
    { requested, method, source, origin }: Attempt,
  ): Promise<IssuedToken> {
    const userStatus = await findUserStatus(authenticated.user.id)
    if (!userStatus) throw loginFailed('user disabled, expired or deleted')
    const issuedAt = clock()
    const { parent, isProgram = false } = authenticated
    const login = parent?.login ?? {
      at: issuedAt,
      method: isProgram ? 'program' : method.names[0],
    }
    const networks = networksFor(userStatus.user, login)
    if (networks && !isWithin(networks, origin.ip)) {
      throw loginFailed('address outside of the networks of the domain', authenticated.user)
    }
    const scope = authenticated.scope
      ? credentialScope(
          authenticated.scope,
          requested,
          userStatus,
          authenticated.accessKey?.restriction,
        )
      : grantScope(requested, userStatus)

    const { factorUse } = authenticated.preconditions ?? {}
    const { secret, id } = mintToken()
    const record: TokenRecord = {
      id,
      userId: userStatus.user.id,
      scope: toTokenScope(scope),
      // A token for another scope says how its user logged in, if that took two methods.
      method: parent?.factor ? parent.method : method.names[0],
      parentId: parent?.id ?? null,
      generation: parent ? parent.generation + 1 : 0,
      login,
      issuedAt,
      expiresAt: endOf(issuedAt, login, authenticated, userStatus),
      ip: origin.ip,
      source: sources.has(source) ? source : 'api',
      accessKey: authenticated.accessKey ?? null,
      providerId:
        authenticated.preconditions?.confirmation?.providerId ?? parent?.providerId ?? null,
      providerSession: authenticated.providerSession ?? null,
      factor: factorUse ? { method: 'totp', at: issuedAt } : (parent?.factor ?? null),
    }
    const event = {
      user: summarizeUser(userStatus),
      method: method.names[0],
      factor: factorUse?.kind,
      projectId: scope.kind === 'project' ? scope.project.id : '',
      origin,
      time: issuedAt,
    }
    const isBreakGlass =
      authenticated.isBreakGlass === true || (!parent && usesExemption(userStatus.user, origin.ip))
    const isWritten = await tokens.insert(
      record,
      authenticated.preconditions ?? {},
      createLoginEvent(event),
      ...(isBreakGlass ? [createLoginEvent(event, breakGlassLogin)] : []),
    )
    if (!isWritten) throw loginFailed('changed meanwhile, or used before')
    return { secret, token: describeToken(createPrincipal(record, userStatus, scope)) }
  }

  return async function issueToken(
    { auth }: TokenRequest,
    origin: RequestOrigin,
    tellsMissingCode = false,
  ): Promise<IssuedToken> {
    const requested = readRequestedScope(auth.scope)
    const method = chooseMethod(methods, auth)
    let user: UserSummary | undefined
    try {
      const authenticated = await method.authenticate(
        auth.identity,
        origin,
        requested,
        auth.link,
        tellsMissingCode,
      )
      user = authenticated.user
      return await issueFor(authenticated, {
        requested,
        method,
        source: auth.context?.source ?? '',
        origin,
      })
    } catch (error) {
      if (!(error instanceof PlatformError) || error.class !== 'UnauthorizedError') throw error
      const known = error.user ?? user
      const name = method.names[0]
      // A valid token that requests a scope it cannot have is not a guessed credential.
      const isProven = name === 'token' && known !== undefined
      const refusal = isProven
        ? undefined
        : loginLimit.countFailure(name, origin.ip, known?.id ?? '')
      // Above the limit, only failed logins of known users are recorded. Otherwise anyone could fill the
      // audit log.
      const isRecorded = isProven
        ? loginLimit.isScopeRefusalRecorded(known.id)
        : !refusal || (name === 'password' && known !== undefined)
      if (isRecorded) {
        const failure = { method: name, origin, time: clock(), projectId: '' }
        await events.record(
          createLoginEvent({ ...failure, user: known, reason: String(error.cause) }),
        )
      }
      throw refusal ?? error
    }
  }
}
export type IssueToken = ReturnType<typeof createIssueToken>

interface Attempt {
  readonly requested: RequestedScope
  readonly method: AuthMethod
  readonly source: string
  readonly origin: RequestOrigin
}
