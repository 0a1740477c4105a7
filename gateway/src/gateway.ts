import type { LoginOptions } from '@muster/contract'
import { createConsole } from './console/serve-console.ts'
import { createCookies } from './cookies.ts'
import { createDescribeSession } from './describe-session.ts'
import { createHandlers } from './handlers.ts'
import { createLogIn } from './log-in.ts'
import { createOwnOrigin } from './own-origin.ts'
import { createProviderLogin } from './provider-login.ts'
import { createForwardRequest } from './forward-request.ts'
import { createPasswordAuth } from './password-auth.ts'
import type {
  CreateError,
  DemoPeople,
  ProviderLogins,
  RequireCode,
  SessionStore,
  Upstream,
} from './ports.ts'
import { createSameOrigin } from './same-origin.ts'
import { createSessions } from './sessions.ts'
import { createSwitchScope } from './switch-scope.ts'
import { createUpstreamClient } from './upstream-client.ts'

interface Parts {
  readonly store: SessionStore
  readonly upstream: Upstream
  readonly providerLogins: ProviderLogins
  readonly requireCode: RequireCode
  readonly createError: CreateError
  readonly clock: () => number
  /** Idle timeout of sessions in milliseconds. */
  readonly idle: number
  readonly publicUrl: string | undefined
  readonly platform: string
  readonly version: string
  readonly demo: DemoPeople | undefined
  /** Folder of the built console. */
  readonly consoleFolder: string
}

/** The gateway between browsers and the public API. It maps sessions to tokens and has no privileges itself. */
export function createGateway(parts: Parts) {
  const { createError, publicUrl, platform, version, demo, providerLogins } = parts
  const ownOrigin = createOwnOrigin(publicUrl)
  const cookies = createCookies(ownOrigin)
  const sameOrigin = createSameOrigin(ownOrigin, createError)
  const upstream = createUpstreamClient(parts.upstream, createError)
  const sessions = createSessions({ ...parts, cookies, sameOrigin, upstream })
  const logIn = createLogIn({ upstream, sessions })
  const passwordAuth = createPasswordAuth(parts.requireCode)

  async function showLoginOptions(domain?: string): Promise<LoginOptions> {
    const providers = await providerLogins.list(domain)
    return {
      platform,
      version,
      demo: demo ? { people: demo } : null,
      providers: [...providers],
    }
  }

  return {
    handlers: createHandlers({
      sessions,
      sameOrigin,
      upstream,
      logIn,
      passwordAuth,
      switchScope: createSwitchScope({ upstream, sessions, createError }),
      providerLogin: createProviderLogin({
        logins: providerLogins,
        ownOrigin,
        cookies,
        upstream,
        sessions,
        logIn,
        passwordAuth,
        createError,
      }),
      describeSession: createDescribeSession(upstream, sessions),
      showLoginOptions,
      createError,
    }),
    forwardRequest: createForwardRequest({ ...parts, sessions }),
    serveConsole: createConsole({ ...parts, ownOrigin }),
  }
}
export type Gateway = ReturnType<typeof createGateway>
