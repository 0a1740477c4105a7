import { cookieSession, createClient, pollHeader } from '@muster/sdk'
import { isUserIdle } from './user-presence.ts'

/** What the page asks by itself while nobody is there does not keep the session alive. */
function ask(address: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (!isUserIdle()) return fetch(address, init)
  const headers = new Headers(init?.headers)
  headers.set(pollHeader, '1')
  return fetch(address, { ...init, headers })
}

/** The public API through the gateway: the browser has a cookie, and never a token. */
export const api = createClient({ auth: cookieSession(), fetch: ask })
