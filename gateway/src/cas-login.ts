import { randomBytes } from 'node:crypto'
import { casTicket, isApiError } from '@muster/sdk'
import type { Cookies } from './cookies.ts'
import type { Exchange, GatewayAnswer } from './exchange.ts'
import type { LogIn } from './log-in.ts'
import { failedLogin, nextPage } from './next-page.ts'
import type { CasProvider, FindCasProviders, Refuse } from './ports.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly findProviders: FindCasProviders
  readonly cookies: Cookies
  readonly upstream: UpstreamClient
  readonly logIn: LogIn
  readonly refuse: Refuse
}

const patience = 600

const goTo = (location: string): GatewayAnswer => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store' },
})

const loginPage = ({ url, serviceUrl }: CasProvider): string =>
  `${url}/login?service=${encodeURIComponent(serviceUrl)}`

/** What the browser brings back with it: that it is the one that was sent, from where, and to what end. */
interface Errand {
  readonly provider: string
  readonly next: string
}

const writeErrand = (errand: Errand): string =>
  Buffer.from(JSON.stringify({ ...errand, salt: randomBytes(8).toString('hex') })).toString(
    'base64url',
  )

function readErrand(cookie: string | undefined): Errand | undefined {
  if (cookie === undefined) return undefined
  try {
    const errand = JSON.parse(Buffer.from(cookie, 'base64url').toString()) as Partial<Errand>
    const { provider, next } = errand
    return typeof provider === 'string' && typeof next === 'string' ? { provider, next } : undefined
  } catch {
    return undefined
  }
}

/** Logging in at a CAS server: there, and back with a ticket. */
export function createCasLogin(dependencies: Dependencies) {
  const { findProviders, cookies, upstream, logIn, refuse } = dependencies

  return {
    async start(exchange: Exchange, id: string, next: string | undefined): Promise<GatewayAnswer> {
      const provider = (await findProviders()).find((candidate) => candidate.id === id)
      if (!provider) throw refuse('ResourceNotFoundError', 'No such CAS identity provider.')
      const errand = writeErrand({ provider: id, next: nextPage(next) })
      cookies.set(exchange, 'casLogin', errand, patience)
      return goTo(loginPage(provider))
    },

    /**
     * A ticket is taken only from a browser that was sent for one from here: else anybody could log
     * somebody else in as themselves.
     */
    async finish(exchange: Exchange, ticket: string | undefined): Promise<GatewayAnswer> {
      const errand = readErrand(cookies.read(exchange, 'casLogin'))
      cookies.clear(exchange, 'casLogin')
      const providers = await findProviders()
      const provider = providers.find(({ id }) => id === errand?.provider)
      if (!errand || !provider || ticket === undefined) return goTo(failedLogin)
      try {
        const auth = casTicket(ticket, { provider: provider.id, source: 'web' })
        return await logIn(exchange, auth, () => goTo(nextPage(errand.next)))
      } catch (error) {
        if (isApiError(error)) return goTo(failedLogin)
        return await upstream.ask(Promise.reject(error as Error))
      }
    },
  }
}
