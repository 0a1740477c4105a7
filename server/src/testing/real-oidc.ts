import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { generateKeyPairSync } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import type Provider from 'oidc-provider'
import type { ClientMetadata, Configuration } from 'oidc-provider'
import { startSecureServer, testAuthority } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

type Claims = Readonly<Record<string, unknown>>

/** The client that Muster is at the provider. */
const client = { client_id: 'muster', client_secret: 'a client secret' } as const

/** The public client of command lines, for the device flow only. */
const deviceClient = {
  client_id: 'muster-cli',
  token_endpoint_auth_method: 'none',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
  response_types: [],
  redirect_uris: [],
} satisfies ClientMetadata

const logoutButton = '<button form="op.logoutForm" name="logout" value="yes">Log out</button>'

/** It warns about defaults that are for development only. */
async function createQuietly(issuer: string, configuration: Configuration): Promise<Provider> {
  const warn = mock.method(console, 'warn', () => {})
  try {
    const { default: OidcProvider } = await import('oidc-provider')
    return new OidcProvider(issuer, configuration)
  } finally {
    warn.mock.restore()
  }
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/**
 * Node's certified OpenID provider over loopback TLS. It logs in, without a form, whomever the test says;
 * everything else is as in production.
 */
export async function startOidcProvider(lifetime: Lifetime) {
  const people = new Map<string, Claims>()
  const agent = new Agent({ keepAlive: true, ca: testAuthority })
  lifetime.after(() => agent.destroy())
  const state = { provider: undefined as Provider | undefined, person: '' }
  const server = await startSecureServer(lifetime, async (incoming, response) => {
    const { provider, person } = state
    if (!provider) return void response.writeHead(503).end()
    if (incoming.url?.startsWith('/interaction/') === true) {
      return await provider.interactionFinished(incoming, response, {
        login: { accountId: person },
      })
    }
    return await provider.callback()(incoming, response)
  })

  /** Starts it. Where browsers may come back to is known only once Muster knows the provider. */
  async function configure(changes: Partial<ClientMetadata>): Promise<void> {
    state.provider = await createQuietly(server.url, {
      clients: [{ ...client, ...changes }, deviceClient],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'one' }] },
      cookies: { keys: ['for tests only'] },
      ttl: {
        AccessToken: 60,
        AuthorizationCode: 60,
        DeviceCode: 60,
        Grant: 60,
        IdToken: 60,
        Interaction: 60,
        Session: 60,
      },
      claims: {
        openid: ['sub'],
        profile: ['name', 'preferred_username'],
        email: ['email', 'email_verified'],
        groups: ['groups'],
      },
      scopes: ['openid', 'profile', 'email', 'groups'],
      pkce: { required: () => true },
      // Providers differ in this; the device flow has ID tokens only.
      conformIdTokenClaims: false,
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        deviceFlow: { enabled: true, successSource: (ctx) => void (ctx.body = 'Logged in') },
        rpInitiatedLogout: { logoutSource: (ctx, form) => void (ctx.body = form + logoutButton) },
      },
      // Its own would not send messages to loopback.
      fetch: (address, options) => {
        const { dispatcher: _, ...plain } = options as RequestInit
        return fetch(address, plain)
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, ...people.get(accountId) }),
      }),
      async loadExistingGrant({ oidc }) {
        const { Grant } = oidc.provider
        const grant = new Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        })
        grant.addOIDCScope('openid profile email groups')
        await grant.save()
        return grant
      },
    })
  }

  /** What a command line sends to the provider. */
  async function post(path: string, form: Readonly<Record<string, string>>) {
    const outgoing = request(new URL(path, server.url), {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const body = new URLSearchParams(form).toString()
    const [answer] = (await once(outgoing.end(body), 'response')) as [IncomingMessage]
    return JSON.parse(await text(answer)) as Readonly<Record<string, string>>
  }

  /** A browser at the provider, which remembers that it is logged in there. */
  function createBrowser() {
    const cookies = new Map<string, string>()

    async function visit(address: URL, form?: URLSearchParams) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
      const outgoing = request(address, {
        agent,
        method: form ? 'POST' : 'GET',
        headers: { cookie, ...type },
      })
      const [answer] = (await once(outgoing.end(form?.toString()), 'response')) as [IncomingMessage]
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
        cookies.set(name, value)
      }
      const { statusCode, headers } = answer
      return { statusCode, headers, text: await text(answer) }
    }

    return {
      /** Logs in, and returns the address to which the provider sends the browser back. */
      async logIn(address: string, person: string): Promise<string> {
        state.person = person
        let next = new URL(address)
        while (next.origin === server.url) {
          const { statusCode, headers } = await visit(next)
          if (headers.location === undefined) throw new Error(`${statusCode} at ${next.href}`)
          next = new URL(headers.location, next)
        }
        return next.href
      },
      /** Confirms the code that a command line shows, and logs in. Returns the text of the last page. */
      async confirmDevice(address: string, person: string): Promise<string> {
        state.person = person
        const code = new URL(address).searchParams.get('user_code') ?? ''
        const page = await visit(new URL(address))
        const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? []
        const form = new URLSearchParams({ xsrf, user_code: code, confirm: 'yes' })
        let answer = await visit(new URL('/device', server.url), form)
        while (answer.headers.location !== undefined) {
          answer = await visit(new URL(answer.headers.location, server.url))
        }
        return answer.text
      },
      /** Confirms the logout, and returns the address to which the provider sends the browser back. */
      async logOut(address: string): Promise<string> {
        const page = await visit(new URL(address))
        const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? []
        const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? []
        const form = new URLSearchParams({ xsrf, logout: 'yes' })
        return (await visit(new URL(action), form)).headers.location ?? ''
      },
    }
  }

  return {
    ...server,
    issuer: server.url,
    client,
    configure,
    createBrowser,
    post,
    /** Whom it logs in from now on. */
    choosePerson: (subject: string) => void (state.person = subject),
    addPerson: (subject: string, claims: Claims) => void people.set(subject, claims),
  }
}
export type RealOidc = Awaited<ReturnType<typeof startOidcProvider>>
