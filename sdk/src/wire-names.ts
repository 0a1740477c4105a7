/** Repeated from the contract. A test compares them. */
export const csrfHeader = 'x-csrf-token'

/** `1` for automatic polling, which does not keep a session alive. */
export const pollHeader = 'x-muster-poll'
