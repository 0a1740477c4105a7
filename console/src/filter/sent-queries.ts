/** How long a sent query may take to come back from the address. */
const patience = 2_000

/**
 * Distinguishes queries that were typed here from those that come from elsewhere. A typed query goes
 * to the address and comes back late, when more may have been typed already.
 */
export function createSentQueries(start: string, clock: () => number = Date.now) {
  let latest = start
  let sent: readonly { readonly q: string; readonly at: number }[] = []
  return {
    /** Whether the query is new and must be sent. */
    send(q: string): boolean {
      if (q === latest) return false
      latest = q
      const now = clock()
      sent = [...sent.filter(({ at }) => now - at < patience), { q, at: now }]
      return true
    },

    /** Whether a query in the address was sent from here. */
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
