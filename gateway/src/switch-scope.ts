import type { ScopeRequest } from '@muster/contract'
import { isApiError, type IssuedToken } from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { Refuse } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly upstream: UpstreamClient
  readonly sessions: Sessions
  readonly refuse: Refuse
}

/** Takes a session to another project or domain. What fails on the way leaves it where it was. */
export function createSwitchScope({ upstream, sessions, refuse }: Dependencies) {
  async function issue(
    exchange: Exchange,
    session: Session,
    scope: ScopeRequest,
  ): Promise<IssuedToken> {
    const { root } = session.tokens
    try {
      return await upstream.rescope(exchange, root, scope)
    } catch (error) {
      if (!isApiError(error, 'UnauthorizedError')) throw error
      // The API tells nobody which part of a login was wrong; the session's own token we can ask about.
      if (!(await sessions.isGood(exchange, root))) throw await sessions.end(exchange, session)
      throw refuse(
        'ForbiddenError',
        'The project or domain does not exist, or you have no role in it.',
      )
    }
  }

  /** `describe` makes the answer of it, before the old session is over. */
  return async function switchScope<Answer>(
    exchange: Exchange,
    session: Session,
    scope: ScopeRequest,
    describe: (fresh: Session) => Promise<Answer>,
  ): Promise<Answer> {
    const current = await issue(exchange, session, scope)
    try {
      const fresh = sessions.renew(exchange, session, current)
      const answer = await describe(fresh)
      await sessions.move(exchange, session, fresh)
      return answer
    } catch (error) {
      await upstream.revokeIfPossible(exchange, current.secret)
      throw error
    }
  }
}
export type SwitchScope = ReturnType<typeof createSwitchScope>
