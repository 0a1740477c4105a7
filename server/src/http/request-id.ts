import { randomUUID } from 'node:crypto'

const sane = /^[A-Za-z0-9._-]{1,128}$/

export const makeRequestId = (): string => `req-${randomUUID()}`

/** The client's own id where it is sane, else a new one. */
export const keepRequestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && sane.test(given) ? given : makeRequestId()
