import { ActionError, type ServerActor } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'

/** Sends all requests of a call, for callers that do not send each by itself. */
export function actByRequests(
  plan: NonNullable<ServerActor['plan']>,
  send: NonNullable<ServerActor['send']>,
): ServerActor['act'] {
  return async (call, reference, signal) => {
    let areSome = false
    for (const request of await plan(call, reference, signal)) {
      await send(request, reference, signal).catch((error: unknown) => {
        if (!areSome || !(error instanceof SourceError)) throw error
        // A `SourceError` says that nothing was sent.
        throw new ActionError('outcome-unknown', `Only a part was carried out. ${error.message}`)
      })
      areSome = true
    }
  }
}
