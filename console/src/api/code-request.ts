import { onSessionEnd } from './end-session.ts'

interface CodeRequest {
  readonly answer: Promise<boolean>
  readonly settle: (isVerified: boolean) => void
}

let pending: CodeRequest | undefined
const listeners = new Set<() => void>()

function set(next: CodeRequest | undefined): void {
  pending = next
  for (const notify of listeners) notify()
}

/**
 * Asks the user for a code of a second factor, once for all requests that wait for it. Resolves to false if
 * the user cancels, or if no page is there to ask.
 */
export function requestCode(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false)
  if (!pending) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    set({ answer: promise, settle: resolve })
    return promise
  }
  return pending.answer
}

/** Whether a code with the session was accepted. */
export function settleCodeRequest(isVerified: boolean): void {
  pending?.settle(isVerified)
  set(undefined)
}

onSessionEnd(() => settleCodeRequest(false))

export const isCodeRequested = (): boolean => pending !== undefined

export function subscribeToCodeRequests(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
