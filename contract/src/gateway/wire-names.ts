/** The session cookie. Without TLS, browsers reject the `__Host-` prefix, so it has another name. */
export const sessionCookie = { secure: '__Host-muster', plain: 'muster_session' } as const

/** The session's `csrf_token`. */
export const csrfHeader = 'x-csrf-token'

/** `1` on automatic polling, which does not extend the session. */
export const pollHeader = 'x-muster-poll'
