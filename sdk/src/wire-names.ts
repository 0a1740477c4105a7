import type { csrfHeader as Csrf, pollHeader as Poll } from '@muster/contract'

/** Like the routes, the contract's to the letter. */
export const csrfHeader: typeof Csrf = 'x-csrf-token'

/** `1` on what a page asks by itself, with nobody at it: that keeps no session alive. */
export const pollHeader: typeof Poll = 'x-muster-poll'
