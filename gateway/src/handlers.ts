import type { LoginOptions, ScopeChange, ScopeRequest } from '@muster/contract'
import { isApiError, passwordLogin } from '@muster/sdk'
import { describeEntry, type DescribeSession } from './describe-session.ts'
import type { Call, Exchange, GatewayAnswer, GatewayHandlers } from './exchange.ts'
import type { LogIn } from './log-in.ts'
import type { PasswordAuth } from './password-auth.ts'
import type { CreateError } from './ports.ts'
import type { createProviderLogin } from './provider-login.ts'
import type { SameOrigin } from './same-origin.ts'
import type { Session, Sessions } from './sessions.ts'
import type { SwitchScope } from './switch-scope.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly sessions: Sessions
  readonly sameOrigin: SameOrigin
  readonly upstream: UpstreamClient
  readonly logIn: LogIn
  readonly passwordAuth: PasswordAuth
  readonly switchScope: SwitchScope
  readonly providerLogin: ReturnType<typeof createProviderLogin>
  readonly describeSession: DescribeSession
  readonly showLoginOptions: (domain?: string) => Promise<LoginOptions>
  readonly createError: CreateError
}

const noStore = { 'cache-control': 'no-store' }

/** Converts a scope from the gateway format to the API format. */
function toScope(
  { project_id, domain_id }: ScopeChange['scope'],
  createError: CreateError,
): ScopeRequest | undefined {
  if (project_id !== undefined && domain_id !== undefined) {
    throw createError(
      'InputParameterError',
      'scope must have either project_id or domain_id, not both.',
    )
  }
  if (project_id !== undefined) return { project: { id: project_id } }
  return domain_id === undefined ? undefined : { domain: { id: domain_id } }
}

/** Handlers of the gateway's operations. */
export function createHandlers(dependencies: Dependencies): GatewayHandlers {
  const { sessions, sameOrigin, upstream, logIn, passwordAuth, switchScope, createError } =
    dependencies
  const { describeSession, providerLogin, showLoginOptions } = dependencies

  async function show(
    exchange: Exchange,
    session: Session,
    status: number,
  ): Promise<GatewayAnswer> {
    const view = await describeSession(exchange, session)
    return { status, headers: noStore, body: { session: view } }
  }

  /** A session that the API accepts from here, for what the gateway answers without asking it. */
  async function requireAccepted(exchange: Exchange): Promise<Session> {
    const session = await sessions.requireSession(exchange)
    const check = sessions.isTokenValid(exchange, session.tokens.current)
    if (await upstream.translateErrors(check)) return session
    throw await sessions.end(exchange, session)
  }

  async function startProviderLogin({
    exchange,
    parameters,
    query,
  }: Pick<
    Call<'startProviderLogin'>,
    'exchange' | 'parameters' | 'query'
  >): Promise<GatewayAnswer> {
    sameOrigin.requireOwnPage(exchange)
    return await providerLogin.start(exchange, parameters.id, query.next)
  }

  return {
    async showLoginOptions({ exchange, query }) {
      sameOrigin.requireOwnPage(exchange)
      return { status: 200, headers: noStore, body: await showLoginOptions(query.domain) }
    },

    async createSession({ exchange, body }) {
      sameOrigin.requireOwnPage(exchange)
      const { name, domain, password, passcode } = body
      const user = { name, ...(domain !== undefined && { domain: { name: domain } }) }
      const scope = toScope(body.scope ?? {}, createError)
      const auth = await passwordAuth(exchange, { user, password, passcode, scope })
      return await upstream.translateErrors(
        logIn(exchange, auth, (session) => show(exchange, session, 201)),
      )
    },

    async createFirstSession({ exchange, body }) {
      sameOrigin.requireOwnPage(exchange)
      const answer = upstream.setFirstPassword(exchange, body).then(async ({ user: { id } }) => {
        const auth = passwordLogin({ user: { id }, password: body.password, source: 'web' })
        try {
          return await logIn(exchange, auth, (session) => show(exchange, session, 201))
        } catch {
          // Not its own error: a 401 would say that the link is invalid.
          throw createError('InvalidStatusError', 'The password is set. Log in with it.')
        }
      })
      return await upstream.translateErrors(answer)
    },

    async getSession({ exchange }) {
      const session = await sessions.requireSession(exchange)
      try {
        return await show(exchange, session, 200)
      } catch (error) {
        if (isApiError(error, 'UnauthorizedError')) throw await sessions.end(exchange, session)
        return await upstream.translateErrors(Promise.reject(error as Error))
      }
    },

    async switchScope({ exchange, body }) {
      const session = await sessions.requireSession(exchange)
      const scope = toScope(body.scope, createError)
      if (!scope)
        throw createError('MissingParameterError', 'scope must have project_id or domain_id.')
      const answer = switchScope(exchange, session, scope, (fresh) => show(exchange, fresh, 200))
      return await upstream.translateErrors(answer)
    },

    async endSession({ exchange }) {
      const session = await sessions.requireSession(exchange)
      const provider = await providerLogin.providerOf(session.tokens.root)
      await sessions.logOut(exchange, session)
      // Asked afterwards: the session ends at once, however slow the provider is.
      const page = provider && (await providerLogin.logoutPage(exchange, provider))
      if (page === undefined) return { status: 204 }
      return { status: 200, headers: noStore, body: { logout_page: page } }
    },

    async listSessions({ exchange }) {
      const session = await requireAccepted(exchange)
      const records = await sessions.listOf(session)
      const entries = records.map((record) => describeEntry(record, session.record.id))
      return { status: 200, headers: noStore, body: { sessions: entries } }
    },

    async endOneSession({ exchange, parameters }) {
      const session = await requireAccepted(exchange)
      if (parameters.id === session.record.id) await sessions.logOut(exchange, session)
      else if (!(await sessions.endOther(session, parameters.id))) {
        throw createError('ResourceNotFoundError', 'Session not found.')
      }
      return { status: 204 }
    },

    async startProviderLink({ exchange, parameters, body }) {
      const session = await sessions.requireSession(exchange)
      const link = { id: parameters.id, ...body }
      const page = await upstream.translateErrors(providerLogin.startLink(exchange, session, link))
      return { status: 200, headers: noStore, body: { login_page: page } }
    },

    startProviderLogin,
    startCasLogin: startProviderLogin,

    // The redirects from identity providers: the only cross-origin requests.
    finishProviderLogin: async ({ exchange, parameters }) =>
      await providerLogin.finish(exchange, parameters.id),

    async endProviderLogins({ exchange, parameters }) {
      await providerLogin.end(exchange, parameters.id)
      return { status: 204, headers: noStore }
    },
    finishCasLogin: async ({ exchange }) => await providerLogin.finish(exchange),
  }
}
