import { pollHeader } from '@muster/contract'
import { isApiError, type IssuedToken } from '@muster/sdk'
import type { Cookies } from './cookies.ts'
import type { Exchange } from './exchange.ts'
import type { CreateError, SessionLimits, SessionRecord, SessionStore } from './ports.ts'
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
  readonly createError: CreateError
  readonly clock: () => number
  /** Idle timeout of sessions in milliseconds. */
  readonly idle: number
}

/** A valid session with its decrypted tokens. */
export interface Session {
  /** It expires no later than the rules of the domain allow. */
  readonly record: SessionRecord
  readonly limits: SessionLimits
  readonly key: SessionKey
  readonly tokens: SessionTokens
}

/** Minimum time between two updates of `seenAt` in the store, in milliseconds. */
const touchInterval = 60_000
const maxUserAgentLength = 255

/** Automatic polling of an open page must not keep a session alive. */
const isPolling = ({ headers }: Exchange) => headers[pollHeader] === '1'

/** Manages sessions: maps the cookie of a browser to the tokens of its user. */
export function createSessions(dependencies: Dependencies) {
  const { store, cookies, sameOrigin, upstream, createError, clock, idle } = dependencies

  async function find(exchange: Exchange): Promise<Session | 'expired' | undefined> {
    const key = readSessionKey(cookies.read(exchange, 'session') ?? '')
    const found = key && (await store.find(key.id))
    if (!key || !found) return undefined
    const { limits, ...stored } = found
    const record = limited(stored, limits)
    if (clock() >= idleEnd({ record, limits })) return 'expired'
    const tokens = key.decrypt(record.sealed)
    return tokens && { record, limits, key, tokens }
  }

  /** When the session expires without further activity. */
  const idleEnd = ({ record, limits }: Pick<Session, 'record' | 'limits'>): number =>
    Math.min(record.expiresAt, record.seenAt + Math.min(idle, limits.idle))

  /** The valid session of a browser, without the checks of where the request comes from. */
  async function findCurrent(exchange: Exchange): Promise<Session | undefined> {
    const found = await find(exchange)
    return found === 'expired' ? undefined : found
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
      sealed: key.encrypt(tokens),
      scope: current.token.project.Name,
      ip: exchange.ip,
      userAgent: (exchange.headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
      seenAt: clock(),
    }
  }

  /** Removes a session whose token the API rejects, and returns the error to throw. */
  async function end(exchange: Exchange, { record }: Session): Promise<Error> {
    const wasRemoved = await store.remove(record.id, record.userId)
    // If it was not there, the session was replaced, and the browser has a new cookie that must stay.
    if (wasRemoved) cookies.clear(exchange, 'session')
    return notLoggedIn()
  }

  const notLoggedIn = () =>
    createError('UnauthorizedError', 'You are not logged in, or the session has expired.')

  return {
    end,
    findCurrent,

    /** Returns the session of a request after the same-origin and CSRF checks. */
    async requireSession(exchange: Exchange): Promise<Session> {
      sameOrigin.requireOwnPage(exchange)
      const session = await find(exchange)
      if (session === 'expired') cookies.clear(exchange, 'session')
      // Do not clear an unknown cookie: a concurrent scope switch may have set a new one, which the
      // response to this older request would delete.
      if (!session || session === 'expired') throw notLoggedIn()
      sameOrigin.requireIntent(exchange, session.key.csrfToken)
      const { record } = session
      const now = clock()
      if (isPolling(exchange) || now - record.seenAt < touchInterval) return session
      await store.touch(record.id, now)
      return { ...session, record: { ...record, seenAt: now } }
    },

    /** Creates a session after a login. It becomes valid with `store`. */
    async begin(exchange: Exchange, root: IssuedToken, current: IssuedToken): Promise<Session> {
      const key = mintSessionKey()
      const tokens = { root: root.secret, current: current.secret }
      const limits = await store.limitsOf(root.token.user.Id)
      const record = {
        ...describe(exchange, key, current, tokens),
        createdAt: clock(),
        expiresAt: Date.parse(root.token.expires_at),
      }
      return { record: limited(record, limits), limits, key, tokens }
    },

    /** Stores a new session, sets its cookie and ends the previous session of the browser. */
    async store(exchange: Exchange, { record, key }: Session): Promise<void> {
      const before = await findCurrent(exchange)
      const isReplaced = before && (await store.replace(before.record.id, record))
      if (isReplaced !== true) await store.insert(record)
      if (before) await upstream.revokeIfPossible(exchange, before.tokens.root)
      cookies.set(exchange, 'session', key.cookie)
    },

    /** Copies a session with another token and a new key. It becomes valid with `replace`. */
    renew(exchange: Exchange, session: Session, current: IssuedToken): Session {
      const key = mintSessionKey()
      const tokens = { root: session.tokens.root, current: current.secret }
      const { createdAt, expiresAt } = session.record
      const record = { ...describe(exchange, key, current, tokens), createdAt, expiresAt }
      return { record, limits: session.limits, key, tokens }
    },

    /** Replaces a session. The old id and key become invalid immediately. */
    async replace(exchange: Exchange, session: Session, fresh: Session): Promise<void> {
      if (!(await store.replace(session.record.id, fresh.record))) throw notLoggedIn()
      const { current: previous, root } = session.tokens
      if (previous !== root) await upstream.revokeIfPossible(exchange, previous)
      cookies.set(exchange, 'session', fresh.key.cookie)
    },

    /** Revoking the root token also revokes the tokens made from it. */
    async logOut(exchange: Exchange, { record, tokens }: Session): Promise<void> {
      // If revoking fails, deleting the row is enough: nobody can decrypt the tokens without it.
      await upstream.revokeIfPossible(exchange, tokens.root)
      await store.remove(record.id, record.userId)
      cookies.clear(exchange, 'session')
    },

    /**
     * Ends another session of the same user. Its token cannot be revoked, because only the browser
     * has the key that decrypts it. Without the row nobody can decrypt it.
     */
    endOther: ({ record }: Session, id: string) => store.remove(id, record.userId),

    /** Whether the API accepts a token. */
    async isTokenValid(exchange: Exchange, token: string): Promise<boolean> {
      const headers = { 'x-subject-token': token }
      try {
        await upstream.clientFor(exchange, token).checkToken({ headers })
        return true
      } catch (error) {
        if (isApiError(error, 'UnauthorizedError')) return false
        throw error
      }
    },

    idleEnd,

    /** Those of the same user, to whom the same limits apply. */
    async listOf({ record: { userId }, limits }: Session): Promise<readonly SessionRecord[]> {
      const now = clock()
      const records = await store.listOf(userId, { seen: now - Math.min(idle, limits.idle), now })
      return records
        .map((record) => limited(record, limits))
        .filter(({ expiresAt }) => expiresAt > now)
    },
  }
}

const limited = (record: SessionRecord, { lifetime }: SessionLimits): SessionRecord => ({
  ...record,
  expiresAt: Math.min(record.expiresAt, record.createdAt + lifetime),
})
export type Sessions = ReturnType<typeof createSessions>
