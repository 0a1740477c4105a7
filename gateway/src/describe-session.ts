import type { FactorsDto, SessionEntry, SessionDto, Token } from '@muster/contract'
import type { Exchange } from './exchange.ts'
import type { SessionRecord } from './ports.ts'
import type { Session, Sessions } from './sessions.ts'
import type { UpstreamClient } from './upstream-client.ts'

/** Formats a time for the API. */
const timestamp = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('Z', '000Z')

type Reference = { readonly id: string; readonly name: string }
const reference = ({ id, name }: Reference) => ({ id, name })

const member = ({ Id: id, Name: name, Domain }: Token['project']) => ({
  id,
  name,
  domain: reference(Domain),
})

function kindOf({ is_domain, project }: Token): SessionDto['scope']['kind'] {
  if (project.Id === '') return 'none'
  return is_domain ? 'domain' : 'project'
}

/** A reset is told until the user has a factor again. */
function describeFactor({ factors, reset, session }: FactorsDto): SessionDto['second_factor'] {
  const isTold = reset && !factors.some(({ confirmed }) => confirmed)
  return { ...session, reset: isTold ? reset : null }
}

/** Describes a session to its browser, without the tokens. */
export function createDescribeSession(upstream: UpstreamClient, sessions: Sessions) {
  return async function describeSession(exchange: Exchange, session: Session): Promise<SessionDto> {
    const { current } = session.tokens
    const api = upstream.clientFor(exchange, current)
    const [{ token }, { domains }, { permissions }, factors] = await Promise.all([
      api.validateToken({ headers: { 'x-subject-token': current } }),
      api.listAuthDomains(),
      api.listAuthPermissions(),
      api.getFactors({ parameters: { id: session.record.userId } }),
    ])
    const { user } = token
    return {
      user: {
        id: user.Id,
        name: user.Name,
        displayname: user.Displayname,
        email: user.Email,
        domain: reference(user.Domain),
      },
      scope: { kind: kindOf(token), ...member(token.project) },
      roles: token.roles.map(reference),
      projects: token.projects.map(member),
      domains: domains.map(reference),
      permissions,
      second_factor: describeFactor(factors),
      csrf_token: session.key.csrfToken,
      expires_at: timestamp(session.record.expiresAt),
      idle_expires_at: timestamp(sessions.idleEnd(session)),
    }
  }
}
export type DescribeSession = ReturnType<typeof createDescribeSession>

export const describeEntry = (record: SessionRecord, current: string): SessionEntry => ({
  id: record.id,
  ip: record.ip,
  user_agent: record.userAgent,
  scope: record.scope,
  created_at: timestamp(record.createdAt),
  last_seen_at: timestamp(record.seenAt),
  expires_at: timestamp(record.expiresAt),
  current: record.id === current,
})
