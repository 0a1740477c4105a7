import type { Caller } from '../identity/caller.ts'
import type { Requester } from './ports.ts'

/** All tokens of a user share one turn. */
export const requesterOf = ({ principal, signal }: Caller): Requester => ({
  user: principal.token.userId,
  signal,
})
