export type SessionEnd = 'ended' | 'out'

const listeners = new Set<(ending: SessionEnd) => void>()

export function onSessionEnd(listener: (ending: SessionEnd) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells the frame that there is no session any more; it leads to the login page and back. */
export function endSession(ending: SessionEnd): void {
  for (const tell of listeners) tell(ending)
}
