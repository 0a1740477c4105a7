import { randomBytes } from 'node:crypto'
import type { IdentityRequest } from '@muster/contract'
import { isApiError, singleLogin } from '@muster/sdk'
import type { Cookies } from './cookies.ts'
import type { Exchange, GatewayAnswer } from './exchange.ts'
import type { LogIn } from './log-in.ts'
import {
  consoleHome,
  failedLink,
  failedLogin,
  linkedLogin,
  nextPage,
  unreachableProvider,
} from './next-page.ts'
import type { OwnOrigin } from './own-origin.ts'
import type { PasswordAuth } from './password-auth.ts'
import type { CreateError, ProviderLogins } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly logins: ProviderLogins
  readonly ownOrigin: OwnOrigin
  readonly cookies: Cookies
  readonly upstream: UpstreamClient
  readonly sessions: Sessions
  readonly logIn: LogIn
  readonly passwordAuth: PasswordAuth
  readonly createError: CreateError
}

const loginTimeoutSeconds = 600

const redirectTo = (location: string): GatewayAnswer => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store' },
})

/** The content of the login cookie: the chosen provider, the page after the login and what the driver needs. */
interface PendingLogin {
  readonly provider: string
  readonly next: string
  readonly remembered: Readonly<Record<string, string>>
  /** To link the login: the token of a login with the password, which only the session can decrypt. */
  readonly link?: string | undefined
}

const isId = /^[\w-]{1,64}$/

const writePendingLogin = (pending: PendingLogin): string =>
  Buffer.from(JSON.stringify({ ...pending, salt: randomBytes(8).toString('hex') })).toString(
    'base64url',
  )

function readPendingLogin(cookie: string | undefined): PendingLogin | undefined {
  if (cookie === undefined) return undefined
  try {
    const pending = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as Partial<PendingLogin>
    const { provider, next, remembered = {}, link } = pending
    const isWhole = typeof provider === 'string' && isId.test(provider) && typeof next === 'string'
    return isWhole ? { provider, next, remembered, link } : undefined
  } catch {
    return undefined
  }
}

const queryOf = ({ url }: Exchange): URLSearchParams => new URL(url, 'http://here').searchParams

/** Login at an identity provider: redirects to it, and logs in with the credential that it returns. */
export function createProviderLogin(dependencies: Dependencies) {
  const { logins, ownOrigin, cookies, upstream, sessions, logIn, passwordAuth, createError } =
    dependencies

  /** One for each provider, so that the answer of one is never taken for that of another. */
  const callbackOf = (exchange: Exchange, id: string): string =>
    `${ownOrigin.originOf(exchange)}/api/session/providers/${encodeURIComponent(id)}/callback`

  /**
   * Links the login to the user whose session this is, if it is the session that began it: whoever logged in
   * here meanwhile must not get it.
   */
  async function finishLink(
    exchange: Exchange,
    sealed: string,
    identity: IdentityRequest | undefined,
  ): Promise<GatewayAnswer> {
    const session = await sessions.findCurrent(exchange)
    const proof = session?.key.decrypt(sealed)?.root
    if (proof === undefined) return redirectTo(failedLink)
    try {
      if (!identity) return redirectTo(failedLink)
      const auth = singleLogin(identity, { link: proof, source: 'web' })
      const { secret } = await upstream.logIn(exchange, auth)
      await upstream.revokeIfPossible(exchange, secret)
      return redirectTo(linkedLogin)
    } catch (error) {
      if (isApiError(error)) return redirectTo(failedLink)
      return await upstream.translateErrors(Promise.reject(error as Error))
    } finally {
      await upstream.revokeIfPossible(exchange, proof)
    }
  }

  return {
    async start(exchange: Exchange, id: string, next: string | undefined): Promise<GatewayAnswer> {
      const page = nextPage(next)
      const begun = await logins
        .begin(id, callbackOf(exchange, id), 'log-in')
        .catch(() => 'failed' as const)
      if (begun === 'failed') return redirectTo(unreachableProvider)
      if (!begun) throw createError('ResourceNotFoundError', 'No such identity provider.')
      const { address, remembered } = begun
      const pending = writePendingLogin({ provider: id, next: page, remembered })
      cookies.set(exchange, 'login', pending, loginTimeoutSeconds)
      return redirectTo(address)
    },

    /**
     * The page of the provider at which the user of a session proves the other login. The password is proof
     * of the first one: who only has the session must not add a login to it.
     */
    async startLink(
      exchange: Exchange,
      session: Session,
      {
        id,
        ...proof
      }: { readonly id: string; readonly password: string; readonly passcode?: string },
    ): Promise<string> {
      const begun = await logins.begin(id, callbackOf(exchange, id), 'link').catch(() => {
        throw createError('BadGateway', 'The identity provider does not respond.')
      })
      if (!begun) {
        throw createError(
          'ResourceNotFoundError',
          'There is no such identity provider, or only administrators can link its logins.',
        )
      }
      const user = { id: session.record.userId }
      const { secret } = await upstream.logIn(
        exchange,
        await passwordAuth(exchange, { user, ...proof }),
      )
      const link = session.key.encrypt({ root: secret, current: secret })
      const { address, remembered } = begun
      const pending = writePendingLogin({ provider: id, next: consoleHome, remembered, link })
      cookies.set(exchange, 'login', pending, loginTimeoutSeconds)
      return address
    },

    /** The provider at which a session was logged in, if there was one. Never fails: a logout goes on. */
    providerOf: (token: string): Promise<string | undefined> =>
      logins.providerOf(token).catch(() => undefined),

    /** The page that logs the browser out at a provider too. A provider that is down has none. */
    async logoutPage(exchange: Exchange, id: string): Promise<string | undefined> {
      const returnTo = `${ownOrigin.originOf(exchange)}/console/login`
      return await logins.logoutPage(id, returnTo).catch(() => undefined)
    },

    /** The request comes from the provider, not from a browser: the signed message is the only proof. */
    async end({ id: requestId, ip, protocol, body }: Exchange, id: string): Promise<void> {
      const message = new URLSearchParams(body?.toString() ?? '').get('logout_token') ?? ''
      await logins.endLogins(id, message, { ip, requestId, isConfidential: protocol === 'https' })
    },

    /**
     * Accepts a credential only from a browser that started the login here. Otherwise an attacker could
     * log a victim in to the account of the attacker (login CSRF). CAS servers may come back to an
     * address without the id of the provider.
     */
    async finish(exchange: Exchange, id?: string): Promise<GatewayAnswer> {
      const pending = readPendingLogin(cookies.read(exchange, 'login'))
      cookies.clear(exchange, 'login')
      if (!pending || (id !== undefined && id !== pending.provider)) return redirectTo(failedLogin)
      const { provider, remembered, link } = pending
      const callback = callbackOf(exchange, provider)
      const attempt = { isNamed: id !== undefined, callback, remembered }
      const identity = await logins.readAnswer(provider, queryOf(exchange), attempt)
      if (link !== undefined) return await finishLink(exchange, link, identity)
      if (!identity) return redirectTo(failedLogin)
      try {
        const auth = singleLogin(identity, { source: 'web' })
        return await logIn(exchange, auth, () => redirectTo(nextPage(pending.next)))
      } catch (error) {
        if (isApiError(error)) return redirectTo(failedLogin)
        return await upstream.translateErrors(Promise.reject(error as Error))
      }
    },
  }
}
