import type { ServerResponse } from 'node:http'

const signals = new WeakMap<ServerResponse, AbortSignal>()

/**
 * Aborts when the connection ends before the response is complete. One signal per response, because a
 * request may run many queries.
 */
export function abortOnDisconnect({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const known = signals.get(raw)
  if (known) return known
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  signals.set(raw, controller.signal)
  return controller.signal
}
