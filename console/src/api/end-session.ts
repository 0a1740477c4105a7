/** `factor`: the page needs a login with a second factor. */
export type SessionEnd = 'ended' | 'out' | 'factor'

const listeners = new Set<(ending: SessionEnd) => void>()

export function onSessionEnd(listener: (ending: SessionEnd) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reports that the session has ended. The router opens the login page, which then returns to the page. */
export function endSession(ending: SessionEnd): void {
  for (const notify of listeners) notify(ending)
}
