import type { SessionDto } from '@muster/contract'
import { csrfHeader } from '../wire-names.ts'
import type { Auth } from './auth.ts'

const reads = new Set(['GET', 'HEAD'])

/**
 * In a browser, on pages that come from the gateway: the cookie that the browser sends by itself is
 * the session. `createSession` logs in; all there is to add is the proof that a change was meant.
 */
export function cookieSession(): Auth<SessionDto> {
  return {
    prefix: '/api',
    connect(line) {
      let known: Promise<SessionDto> | undefined

      function current(): Promise<SessionDto> {
        if (known) return known
        const asked = line.call('getSession').then(({ body }) => body.session)
        known = asked
        asked.catch(() => {
          if (known === asked) known = undefined
        })
        return asked
      }

      return {
        async prove(method) {
          if (reads.has(method)) return {}
          return { [csrfHeader]: (await current()).csrf_token }
        },
        // The cookie is the same one; only a person can log in again.
        async renew() {
          known = undefined
          return false
        },
        async logIn() {
          known = undefined
          return await current()
        },
        async logOut() {
          const { csrf_token } = await current()
          known = undefined
          await line.call('endSession', { headers: { [csrfHeader]: csrf_token } })
        },
        notice(id, body) {
          if (id === 'createSession' || id === 'switchScope' || id === 'getSession') {
            known = Promise.resolve((body as { session: SessionDto }).session)
          } else if (id === 'endSession') known = undefined
        },
      }
    },
  }
}
