/** The cookie that is a session: the second where browsers would not keep the first, without TLS. */
export const sessionCookie = { secure: '__Host-muster', plain: 'muster_session' } as const

/** Proof that a change was meant, from the session's view. */
export const csrfHeader = 'x-csrf-token'

/** `1` on what a page asks by itself, with nobody at it: that keeps no session alive. */
export const pollHeader = 'x-muster-poll'
