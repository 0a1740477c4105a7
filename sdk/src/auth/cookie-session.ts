import type { Output } from '../operations.ts'
import { csrfHeader } from '../wire-names.ts'
import type { Auth } from './auth.ts'

type SessionDto = Output<'getSession'>['session']

const reads = new Set(['GET', 'HEAD'])

const returnSession: ReadonlySet<string> = new Set([
  'createSession',
  'createFirstSession',
  'switchScope',
  'getSession',
])

/**
 * Authentication for pages that the gateway serves. The browser sends the session cookie itself.
 * `createSession` and `createFirstSession` log in. This adds the CSRF token to writes.
 */
export function cookieSession(): Auth<SessionDto> {
  return {
    prefix: '/api',
    connect(transport) {
      let cached: Promise<SessionDto> | undefined

      function current(): Promise<SessionDto> {
        if (cached) return cached
        const request = transport.call('getSession').then(({ body }) => body.session)
        cached = request
        request.catch(() => {
          if (cached === request) cached = undefined
        })
        return request
      }

      return {
        async authenticate(method) {
          if (reads.has(method)) return {}
          return { [csrfHeader]: (await current()).csrf_token }
        },
        // The client cannot log in again: only the user can.
        async renew() {
          cached = undefined
          return false
        },
        async logIn() {
          cached = undefined
          return await current()
        },
        async logOut() {
          const { csrf_token } = await current()
          cached = undefined
          await transport.call('endSession', { headers: { [csrfHeader]: csrf_token } })
        },
        notice(id, body) {
          if (returnSession.has(id)) {
            cached = Promise.resolve((body as { session: SessionDto }).session)
          } else if (id === 'endSession') cached = undefined
        },
      }
    },
  }
}
