import { PlatformError } from '../domain/error.ts'
import type { CasServer } from '../domain/identity/cas/cas-server.ts'
import type { AddressRule } from '../egress/allowed-addresses.ts'
import { createCasServer } from '../egress/cas-server.ts'
import { createGuardedGet } from '../egress/guarded-get.ts'
import { createTurnstile } from '../vault/turnstile.ts'

/**
 * CAS servers, asked a few at a time: names are looked up on the threads that also hash passwords,
 * and anyone can send a ticket.
 */
export function composeCasServer(rule: AddressRule): CasServer {
  const turnstile = createTurnstile({
    abreast: 2,
    longestQueue: 64,
    refuse: () =>
      new PlatformError('ServiceUnavailable', 'Too many logins at once: try again shortly.', {
        retryAfter: 1,
      }),
  })
  const server = createCasServer(createGuardedGet(rule))
  return { validate: (...question) => turnstile.pass(() => server.validate(...question)) }
}
