import { createBoundedQueue } from '../domain/bounded-queue.ts'
import type { CasServer } from '../domain/identity/cas/cas-server.ts'
import type { AddressRule } from '../egress/allowed-addresses.ts'
import { createCasServer } from '../egress/cas-server.ts'
import { createGuardedGet } from '../egress/guarded-get.ts'

/**
 * CAS servers, asked a few at a time: names are looked up on the threads that also hash passwords,
 * and anyone can send a ticket.
 */
export function composeCasServer(rule: AddressRule): CasServer {
  const queue = createBoundedQueue({ name: 'logins', capacity: 2, maxWaiting: 64 })
  const server = createCasServer(createGuardedGet(rule))
  return { validate: (...ticket) => queue.run(() => server.validate(...ticket)) }
}
