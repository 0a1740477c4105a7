import type { FastifyReply } from 'fastify'

/** Aborts when the connection ends before the response is complete. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
