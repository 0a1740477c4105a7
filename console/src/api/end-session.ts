export type Ending = 'ended' | 'out'

const listeners = new Set<(ending: Ending) => void>()

export function onSessionEnd(listener: (ending: Ending) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells the frame that there is no session any more; it leads to the login page and back. */
export function endSession(ending: Ending): void {
  for (const tell of listeners) tell(ending)
}
