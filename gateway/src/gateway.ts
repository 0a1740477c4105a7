import type { LoginOptions } from '@muster/contract'
import { createCasLogin } from './cas-login.ts'
import { createConsole } from './console/serve-console.ts'
import { createCookies } from './cookies.ts'
import { createDescribeSession } from './describe-session.ts'
import { createHandlers } from './handlers.ts'
import { createLogIn } from './log-in.ts'
import { createOwnOrigin } from './own-origin.ts'
import { createPassOn } from './pass-on.ts'
import type { DemoPeople, FindCasProviders, Refuse, SessionStore, Upstream } from './ports.ts'
import { createSameOrigin } from './same-origin.ts'
import { createSessions } from './sessions.ts'
import { createSwitchScope } from './switch-scope.ts'
import { createUpstreamClient } from './upstream-client.ts'

interface Parts {
  readonly store: SessionStore
  readonly upstream: Upstream
  readonly findCasProviders: FindCasProviders
  readonly refuse: Refuse
  readonly clock: () => number
  /** How long a session lasts in which nothing is done, in milliseconds. */
  readonly idle: number
  readonly publicUrl: string | undefined
  readonly platform: string
  readonly version: string
  readonly demo: DemoPeople | undefined
  /** Where the console's files are, once they are made. */
  readonly consoleFolder: string
}

/** Between browsers and the public API: it has sessions for tokens, and no powers of its own. */
export function createGateway(parts: Parts) {
  const { refuse, publicUrl, platform, version, demo, findCasProviders } = parts
  const ownOrigin = createOwnOrigin(publicUrl)
  const cookies = createCookies(ownOrigin)
  const sameOrigin = createSameOrigin(ownOrigin, refuse)
  const upstream = createUpstreamClient(parts.upstream, refuse)
  const sessions = createSessions({ ...parts, cookies, sameOrigin, upstream })
  const logIn = createLogIn({ upstream, sessions })

  async function showLoginOptions(): Promise<LoginOptions> {
    const providers = await findCasProviders()
    return {
      platform,
      version,
      demo: demo ? { people: demo } : null,
      cas: providers.map(({ id, name }) => ({ id, name })),
    }
  }

  return {
    handlers: createHandlers({
      sessions,
      sameOrigin,
      upstream,
      logIn,
      switchScope: createSwitchScope({ upstream, sessions, refuse }),
      casLogin: createCasLogin({
        findProviders: findCasProviders,
        cookies,
        upstream,
        logIn,
        refuse,
      }),
      describeSession: createDescribeSession(upstream, sessions),
      showLoginOptions,
      refuse,
    }),
    passOn: createPassOn({ ...parts, sessions }),
    serveConsole: createConsole({ ...parts, ownOrigin }),
  }
}
export type Gateway = ReturnType<typeof createGateway>
