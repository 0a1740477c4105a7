import type { IdentityRequest, ScopeRequest, Token } from '@muster/contract'
import type { Answer, Auth, Line } from './auth.ts'

/** A token, and what it says. */
export interface IssuedToken {
  readonly secret: string
  readonly token: Token
}

export interface LoginOptions {
  /** The project or domain to log in for; the user's default one unless said. */
  readonly scope?: ScopeRequest | undefined
  /** Told to the audit log: `api` unless said. */
  readonly source?: 'web' | 'api' | 'cli' | 'srv' | undefined
}

interface TokenLogin extends LoginOptions {
  /** Made anew for each login: some proofs are good once. */
  readonly identify: (line: Line) => IdentityRequest | Promise<IdentityRequest>
  /** Whether the same login can be done again. */
  readonly isRepeatable: boolean
}

const tokenHeader = 'x-auth-token'

export function readIssued({ body, headers }: Answer<{ readonly token: Token }>): IssuedToken {
  return { secret: headers.get('x-subject-token') ?? '', token: body.token }
}

/** Logs in for a token at the first call, and again when it is no longer taken. */
export function tokenLogin({
  identify,
  isRepeatable,
  scope,
  source,
}: TokenLogin): Auth<IssuedToken> {
  return {
    prefix: '',
    connect(line) {
      let issued: Promise<IssuedToken> | undefined

      async function issue(): Promise<IssuedToken> {
        const identity = await identify(line)
        const auth = {
          identity,
          ...(scope && { scope }),
          ...(source !== undefined && { context: { source } }),
        }
        return readIssued(await line.call('issueToken', { body: { auth } }))
      }

      /** Calls that come while a login is under way wait for that one. */
      function current(): Promise<IssuedToken> {
        if (issued) return issued
        const login = issue()
        issued = login
        login.catch(() => {
          if (issued === login) issued = undefined
        })
        return login
      }

      return {
        async prove() {
          return { [tokenHeader]: (await current()).secret }
        },
        async renew(refused) {
          if (!isRepeatable) return false
          const known = await issued?.catch(() => undefined)
          // Another call that was refused with it may have logged in again already.
          if (known?.secret === refused[tokenHeader]) issued = undefined
          await current()
          return true
        },
        logIn: current,
        async logOut() {
          const login = issued
          issued = undefined
          const secret = (await login?.catch(() => undefined))?.secret
          if (secret === undefined) return
          await line.call('revokeToken', {
            headers: { 'x-subject-token': secret, [tokenHeader]: secret },
          })
        },
      }
    },
  }
}
