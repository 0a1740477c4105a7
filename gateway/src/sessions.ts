import { pollHeader } from '@muster/contract'
import { isApiError, type IssuedToken } from '@muster/sdk'
import type { Cookies } from './cookies.ts'
import type { Exchange } from './exchange.ts'
import type { Refuse, SessionRecord, SessionStore } from './ports.ts'
import type { SameOrigin } from './same-origin.ts'
import {
  mintSessionKey,
  readSessionKey,
  type SessionKey,
  type SessionTokens,
} from './session-key.ts'
import type { UpstreamClient } from './upstream-client.ts'

interface Dependencies {
  readonly store: SessionStore
  readonly cookies: Cookies
  readonly sameOrigin: SameOrigin
  readonly upstream: UpstreamClient
  readonly refuse: Refuse
  readonly clock: () => number
  /** How long a session lasts in which nothing is done, in milliseconds. */
  readonly idle: number
}

/** A session that is not over, with what is sealed in it. */
export interface Session {
  readonly record: SessionRecord
  readonly key: SessionKey
  readonly tokens: SessionTokens
}

/** Seldom enough to cost nothing, often enough to tell by. */
const seenStep = 60_000
const longestUserAgent = 255

/** Pages look for news by themselves: that nobody is there must not keep a session alive. */
const isPolling = ({ headers }: Exchange) => headers[pollHeader] === '1'

/** Between a browser's cookie and the tokens of who is logged in. */
export function createSessions(dependencies: Dependencies) {
  const { store, cookies, sameOrigin, upstream, refuse, clock, idle } = dependencies

  async function find(exchange: Exchange): Promise<Session | 'over' | undefined> {
    const key = readSessionKey(cookies.read(exchange, 'session') ?? '')
    const record = key && (await store.find(key.id))
    if (!key || !record) return undefined
    if (clock() >= Math.min(record.expiresAt, record.seenAt + idle)) return 'over'
    const tokens = key.unseal(record.sealed)
    return tokens && { record, key, tokens }
  }

  function describe(
    exchange: Exchange,
    key: SessionKey,
    current: IssuedToken,
    tokens: SessionTokens,
  ) {
    return {
      id: key.id,
      userId: current.token.user.Id,
      sealed: key.seal(tokens),
      scope: current.token.project.Name,
      ip: exchange.ip,
      userAgent: (exchange.headers['user-agent'] ?? '').slice(0, longestUserAgent),
      seenAt: clock(),
    }
  }

  /** Once the API no longer takes its token. */
  async function end(exchange: Exchange, { record }: Session): Promise<Error> {
    const wasThere = await store.remove(record.id, record.userId)
    // Else the browser has a new one by now, under which the session goes on: that is not to be lost.
    if (wasThere) cookies.clear(exchange, 'session')
    return over()
  }

  const over = () =>
    refuse('UnauthorizedError', 'You are not logged in, or the session has expired.')

  return {
    end,

    /** The session of a request that is a page's own, and meant. */
    async demand(exchange: Exchange): Promise<Session> {
      sameOrigin.requireOwnPage(exchange)
      const session = await find(exchange)
      if (session === 'over') cookies.clear(exchange, 'session')
      // One that nobody knows stays with the browser: a request that was on its way during a switch
      // must not take away the new one.
      if (!session || session === 'over') throw over()
      sameOrigin.requireIntent(exchange, session.key.csrfToken)
      const { record } = session
      const now = clock()
      if (isPolling(exchange) || now - record.seenAt < seenStep) return session
      await store.touch(record.id, now)
      return { ...session, record: { ...record, seenAt: now } }
    },

    /** A new one for whoever has just logged in. It counts once it is kept. */
    begin(exchange: Exchange, root: IssuedToken, current: IssuedToken): Session {
      const key = mintSessionKey()
      const tokens = { root: root.secret, current: current.secret }
      const record = {
        ...describe(exchange, key, current, tokens),
        createdAt: clock(),
        expiresAt: Date.parse(root.token.expires_at),
      }
      return { record, key, tokens }
    },

    /** From here on it is the browser's. What that had before is over. */
    async keep(exchange: Exchange, { record, key }: Session): Promise<void> {
      const found = await find(exchange)
      const before = found === 'over' ? undefined : found
      const isPut = before && (await store.replace(before.record.id, record))
      if (isPut !== true) await store.insert(record)
      if (before) await upstream.revokeIfPossible(exchange, before.tokens.root)
      cookies.set(exchange, 'session', key.cookie)
    },

    /** The same with another token, under another name. It counts once it is moved to. */
    renew(exchange: Exchange, session: Session, current: IssuedToken): Session {
      const key = mintSessionKey()
      const tokens = { root: session.tokens.root, current: current.secret }
      const { createdAt, expiresAt } = session.record
      const record = { ...describe(exchange, key, current, tokens), createdAt, expiresAt }
      return { record, key, tokens }
    },

    /** The session goes on as that one: the old name and the old key are dead at once. */
    async move(exchange: Exchange, session: Session, fresh: Session): Promise<void> {
      if (!(await store.replace(session.record.id, fresh.record))) throw over()
      const { current: left, root } = session.tokens
      if (left !== root) await upstream.revokeIfPossible(exchange, left)
      cookies.set(exchange, 'session', fresh.key.cookie)
    },

    /** Logs out: every token of the session ends with the first of them. */
    async finish(exchange: Exchange, { record, tokens }: Session): Promise<void> {
      // With the row gone nobody can read its tokens any more, so it does not matter if they stay.
      await upstream.revokeIfPossible(exchange, tokens.root)
      await store.remove(record.id, record.userId)
      cookies.clear(exchange, 'session')
    },

    /**
     * Ends another session of the same user. Its token is sealed under a key that only its browser
     * has: it cannot be revoked from here, and without the row nobody can ever read it again.
     */
    endOther: ({ record }: Session, id: string) => store.remove(id, record.userId),

    /** Whether the API still takes a token. */
    async isGood(exchange: Exchange, token: string): Promise<boolean> {
      const headers = { 'x-subject-token': token }
      try {
        await upstream.clientFor(exchange, token).checkToken({ headers })
        return true
      } catch (error) {
        if (isApiError(error, 'UnauthorizedError')) return false
        throw error
      }
    },

    /** When it ends unless something is done before. */
    idleEnd: ({ record }: Session): number => Math.min(record.expiresAt, record.seenAt + idle),

    listOf: ({ record }: Session) =>
      store.listOf(record.userId, { seen: clock() - idle, now: clock() }),
  }
}
export type Sessions = ReturnType<typeof createSessions>
