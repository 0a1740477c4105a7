import type { Requester } from '../requester.ts'
import type { Caller } from './caller.ts'

/** The user of a request. The signal is created when a query has to wait. */
export const requesterOf = (caller: Caller): Requester => ({
  user: caller.principal.token.userId,
  get signal() {
    return caller.signal
  },
})
