import type { Upstream } from '@muster/gateway'
import type { FastifyInstance } from 'fastify'

/** The public API of this very process, asked without a way over the network; for whom, it is told. */
export const createInProcessUpstream =
  (app: FastifyInstance): Upstream =>
  async ({ method, path, headers, body, ip, host, signal }) => {
    signal.throwIfAborted()
    const answer = await app.inject({
      method,
      url: path,
      headers: { host, ...headers },
      remoteAddress: ip,
      payloadAsStream: true,
      // Until the answer begins; what was sent to be changed is changed all the same.
      signal,
      ...(body && { payload: body }),
    })
    // As if the connection were lost: whatever still makes an answer for nobody ends with it.
    const hangUp = () => void answer.raw.res.destroy()
    if (signal.aborted) hangUp()
    else signal.addEventListener('abort', hangUp, { once: true })
    return { status: answer.statusCode, headers: answer.headers, body: answer.stream() }
  }
