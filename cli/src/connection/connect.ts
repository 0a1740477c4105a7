import type { ScopeRequest } from '@muster/contract'
import { accessKeyLogin, createClient, passwordLogin, tokenAuth } from '@muster/sdk'
import type { Answer, Auth, IssuedToken } from '@muster/sdk'
import { CommandError } from '../command-error.ts'
import type { Environment, Io } from '../io.ts'
import type { Arguments } from '../grammar/parse-flags.ts'
import { safeLines } from '../output/safe-text.ts'
import { cachedLogin } from './cached-login.ts'
import { debugFetch } from './curl.ts'
import { createHttpFetch } from './http-fetch.ts'
import { askSecret } from './prompt.ts'
import { readSettings, type Credential, type Settings } from './settings.ts'
import { createTokenCache } from './token-cache.ts'

/** The input of any operation. */
interface Input {
  readonly parameters?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The client of the SDK, for operations that the grammar chooses at run time. */
export interface ApiClient {
  request(id: string, input?: Input): Promise<Answer<unknown>>
  stream(id: string, input?: Input): Promise<Response>
  pages(id: string, input?: Input): AsyncGenerator<unknown, void, void>
  logIn(): Promise<IssuedToken>
  logOut(): Promise<void>
  /** The token that requests are sent with. Logs in if there is none. */
  currentToken(): Promise<string | undefined>
}

/** The scope as the API takes it. Undefined: the default project of the user. */
const scopeOf = ({ scope }: Settings) =>
  scope?.project
    ? { project: withDomain(scope.project) }
    : scope?.domain
      ? { domain: scope.domain }
      : undefined

function withDomain<
  Named extends { readonly name?: string | undefined; readonly domain?: unknown },
>(named: Named) {
  return named.name !== undefined && named.domain === undefined
    ? { ...named, domain: { name: 'Default' } }
    : named
}

function loginOf(settings: Settings, credential: Credential): Auth<IssuedToken> {
  const scope = scopeOf(settings) as ScopeRequest | undefined
  if (credential.method === 'token') {
    return tokenAuth(credential.secret, { ...(scope && { scope }), source: 'cli' })
  }
  if (credential.method === 'key') {
    const { accessKey, secret } = credential
    return accessKeyLogin({ accessKey, secret, source: 'cli' })
  }
  const { user, password = '' } = credential
  return passwordLogin({
    user: user as Parameters<typeof passwordLogin>[0]['user'],
    password,
    ...(scope && { scope }),
    source: 'cli',
  })
}

interface Context {
  readonly args: Arguments
  readonly io: Io
  readonly environment: Environment
}

/** The transport of a connection. With `--debug` it prints what it sends. */
function createTransport({ args, io, environment }: Context, settings: Settings) {
  const { cacert, isInsecure } = settings
  const timeout = (args.number('timeout') ?? 60) * 1_000
  const fetch = createHttpFetch({ cacert, isInsecure, timeout, environment })
  if (!args.isSet('debug')) return fetch
  return debugFetch(fetch, (line) => void io.stderr.write(`${safeLines(line)}\n`))
}

/** The SDK keeps the token to itself, and two commands print it or ask about it. */
function observeToken(auth: Auth<IssuedToken>) {
  let authenticate: (() => Promise<Readonly<Record<string, string>>>) | undefined
  const observed: Auth<IssuedToken> = {
    ...auth,
    connect(transport) {
      const login = auth.connect(transport)
      authenticate = () => login.authenticate('GET')
      return login
    },
  }
  const currentToken = async () => (await authenticate?.())?.['x-auth-token']
  return { observed, currentToken }
}

/** A client for these settings. It logs in when it is first used. */
export function createApiClient(context: Context, settings: Settings, auth: Auth<IssuedToken>) {
  const { url, authUrl } = settings
  const fetch = createTransport(context, settings)
  const { observed, currentToken } = observeToken(auth)
  const client = createClient({ url, authUrl, auth: observed, fetch })
  return Object.assign(client, { currentToken }) as unknown as ApiClient
}

/** Connects with the settings of the command. A cached token is used if there is one. */
export async function connect(context: Context) {
  const { io, environment, args } = context
  let settings = await readSettings(args, environment)
  const { credential } = settings
  if (!credential) {
    const profile = settings.profile?.name
    throw new CommandError(
      'unauthenticated',
      profile === undefined
        ? 'There is an address and no user: set OS_USERNAME and OS_PASSWORD, or OS_ACCESS_KEY and OS_SECRET_KEY.'
        : `Profile ${profile} has no token. Run "muster auth login".`,
    )
  }
  if (credential.method === 'password' && credential.password === undefined) {
    const password = await askSecret(
      io,
      `Password of ${credential.user.name ?? credential.user.id}: `,
    )
    settings = { ...settings, credential: { ...credential, password } }
  }
  const login = loginOf(settings, settings.credential ?? credential)
  const auth =
    credential.method === 'token'
      ? login
      : cachedLogin(login, createTokenCache(environment, settings), settings)
  return { settings, client: createApiClient(context, settings, auth) }
}
