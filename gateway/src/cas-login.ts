import { randomBytes } from 'node:crypto'
import { casTicket, isApiError } from '@muster/sdk'
import type { Cookies } from './cookies.ts'
import type { Exchange, GatewayAnswer } from './exchange.ts'
import type { LogIn } from './log-in.ts'
import { failedLogin, nextPage } from './next-page.ts'
import type { CasProvider, FindCasProviders, CreateError } from './ports.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly findProviders: FindCasProviders
  readonly cookies: Cookies
  readonly upstream: UpstreamClient
  readonly logIn: LogIn
  readonly createError: CreateError
}

const loginTimeoutSeconds = 600

const redirectTo = (location: string): GatewayAnswer => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store' },
})

const loginPage = ({ url, serviceUrl }: CasProvider): string =>
  `${url}/login?service=${encodeURIComponent(serviceUrl)}`

/** The content of the CAS login cookie: the chosen provider and the page after the login. */
interface PendingLogin {
  readonly provider: string
  readonly next: string
}

const writePendingLogin = (pending: PendingLogin): string =>
  Buffer.from(JSON.stringify({ ...pending, salt: randomBytes(8).toString('hex') })).toString(
    'base64url',
  )

function readPendingLogin(cookie: string | undefined): PendingLogin | undefined {
  if (cookie === undefined) return undefined
  try {
    const pending = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as Partial<PendingLogin>
    const { provider, next } = pending
    return typeof provider === 'string' && typeof next === 'string' ? { provider, next } : undefined
  } catch {
    return undefined
  }
}

/** Login with CAS: redirects to the CAS server, and logs in with the ticket that it returns. */
export function createCasLogin(dependencies: Dependencies) {
  const { findProviders, cookies, upstream, logIn, createError } = dependencies

  return {
    async start(exchange: Exchange, id: string, next: string | undefined): Promise<GatewayAnswer> {
      const provider = (await findProviders()).find((candidate) => candidate.id === id)
      if (!provider) throw createError('ResourceNotFoundError', 'No such CAS identity provider.')
      const pending = writePendingLogin({ provider: id, next: nextPage(next) })
      cookies.set(exchange, 'casLogin', pending, loginTimeoutSeconds)
      return redirectTo(loginPage(provider))
    },

    /**
     * Accepts a ticket only from a browser that started the login here. Otherwise an attacker could
     * log a victim in to the account of the attacker (login CSRF).
     */
    async finish(exchange: Exchange, ticket: string | undefined): Promise<GatewayAnswer> {
      const pending = readPendingLogin(cookies.read(exchange, 'casLogin'))
      cookies.clear(exchange, 'casLogin')
      const providers = await findProviders()
      const provider = providers.find(({ id }) => id === pending?.provider)
      if (!pending || !provider || ticket === undefined) return redirectTo(failedLogin)
      try {
        const auth = casTicket(ticket, { provider: provider.id, source: 'web' })
        return await logIn(exchange, auth, () => redirectTo(nextPage(pending.next)))
      } catch (error) {
        if (isApiError(error)) return redirectTo(failedLogin)
        return await upstream.translateErrors(Promise.reject(error as Error))
      }
    },
  }
}
