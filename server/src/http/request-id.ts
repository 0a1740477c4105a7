import { randomUUID } from 'node:crypto'

const validId = /^[A-Za-z0-9._-]{1,128}$/

export const makeRequestId = (): string => `req-${randomUUID()}`

/** Returns the request id of the client if it is valid, otherwise a new one. */
export const requestIdOrNew = (given: string | string[] | undefined): string =>
  typeof given === 'string' && validId.test(given) ? given : makeRequestId()
