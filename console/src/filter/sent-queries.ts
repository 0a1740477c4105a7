/** An address comes back within a moment, or not at all. */
const patience = 2_000

/**
 * Tells queries that were typed here from those that come from elsewhere: what is typed goes to the
 * address and comes back late, when more may have been typed already.
 */
export function createSentQueries(start: string, clock: () => number = Date.now) {
  let latest = start
  let sent: readonly { readonly q: string; readonly at: number }[] = []
  return {
    /** Whether it is another than the one before, and so is to be sent. */
    send(q: string): boolean {
      if (q === latest) return false
      latest = q
      const now = clock()
      sent = [...sent.filter(({ at }) => now - at < patience), { q, at: now }]
      return true
    },

    /** Whether a query that arrives was sent from here. One that was not is the latest from then on. */
    isOwn(q: string): boolean {
      if (q === latest) return true
      const now = clock()
      if (sent.some((one) => one.q === q && now - one.at < patience)) return true
      latest = q
      sent = []
      return false
    },
  }
}
