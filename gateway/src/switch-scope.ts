import type { ScopeRequest } from '@muster/contract'
import { isApiError, type IssuedToken } from '@muster/sdk'
import type { Exchange } from './exchange.ts'
import type { CreateError } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly upstream: UpstreamClient
  readonly sessions: Sessions
  readonly createError: CreateError
}

/** Switches a session to another project or domain. A failed step leaves the session unchanged. */
export function createSwitchScope({ upstream, sessions, createError }: Dependencies) {
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
      // The API does not tell which part of a login is wrong, so check the token of the session.
      if (!(await sessions.isTokenValid(exchange, root)))
        throw await sessions.end(exchange, session)
      throw createError(
        'ForbiddenError',
        'The project or domain does not exist, or you have no role in it.',
      )
    }
  }

  /** `describe` builds the response before the old session is replaced. */
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
      await sessions.replace(exchange, session, fresh)
      return answer
    } catch (error) {
      await upstream.revokeIfPossible(exchange, current.secret)
      throw error
    }
  }
}
export type SwitchScope = ReturnType<typeof createSwitchScope>
