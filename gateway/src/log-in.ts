import type { Auth, IssuedToken } from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly upstream: UpstreamClient
  readonly sessions: Sessions
}

/** Logs in and creates a session. A failed step leaves neither a token nor a cookie. */
export function createLogIn({ upstream, sessions }: Dependencies) {
  /** If the user has no default project, selects the first project or domain in which the user has a role. */
  async function selectScope(exchange: Exchange, root: IssuedToken): Promise<IssuedToken> {
    const { project, projects } = root.token
    if (project.Id !== '') return root
    const rescope = (scope: Parameters<UpstreamClient['rescope']>[2]) =>
      upstream.rescope(exchange, root.secret, scope)
    if (projects[0]) return await rescope({ project: { id: projects[0].Id } })
    const { domains } = await upstream.clientFor(exchange, root.secret).listAuthDomains()
    return domains[0] ? await rescope({ domain: { id: domains[0].id } }) : root
  }

  /** `describe` builds the response before the session is stored. */
  return async function logIn<Answer>(
    exchange: Exchange,
    auth: Auth<IssuedToken>,
    describe: (session: Session) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const root = await upstream.logIn(exchange, auth)
    try {
      const session = await sessions.begin(exchange, root, await selectScope(exchange, root))
      const answer = await describe(session)
      await sessions.store(exchange, session)
      return answer
    } catch (error) {
      await upstream.revokeIfPossible(exchange, root.secret)
      throw error
    }
  }
}
export type LogIn = ReturnType<typeof createLogIn>
