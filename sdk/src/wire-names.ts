import type { csrfHeader as Csrf, pollHeader as Poll } from '@muster/contract'

/** Repeated from the contract. The compiler checks the value. */
export const csrfHeader: typeof Csrf = 'x-csrf-token'

/** `1` for automatic polling, which does not keep a session alive. */
export const pollHeader: typeof Poll = 'x-muster-poll'
