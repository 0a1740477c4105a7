import type { Auth, IssuedToken } from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly upstream: UpstreamClient
  readonly sessions: Sessions
}

/** Gives the browser a session for a login. What fails on the way leaves neither a token nor a cookie. */
export function createLogIn({ upstream, sessions }: Dependencies) {
  /** Nobody has a use for a session that is nowhere: without a wish it is where the user can be. */
  async function settle(exchange: Exchange, root: IssuedToken): Promise<IssuedToken> {
    const { project, projects } = root.token
    if (project.Id !== '') return root
    const rescope = (scope: Parameters<UpstreamClient['rescope']>[2]) =>
      upstream.rescope(exchange, root.secret, scope)
    if (projects[0]) return await rescope({ project: { id: projects[0].Id } })
    const { domains } = await upstream.clientFor(exchange, root.secret).listAuthDomains()
    return domains[0] ? await rescope({ domain: { id: domains[0].id } }) : root
  }

  /** `describe` makes the answer of it, before the session counts. */
  return async function logIn<Answer>(
    exchange: Exchange,
    auth: Auth<IssuedToken>,
    describe: (session: Session) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const root = await upstream.logIn(exchange, auth)
    try {
      const session = sessions.begin(exchange, root, await settle(exchange, root))
      const answer = await describe(session)
      await sessions.keep(exchange, session)
      return answer
    } catch (error) {
      await upstream.revokeIfPossible(exchange, root.secret)
      throw error
    }
  }
}
export type LogIn = ReturnType<typeof createLogIn>
