import { ActionError, type ServerActor, type SourceCall } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerReference, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { toActionError } from './action-error.ts'
import { requestsFor, type LocatedServer } from './action-requests.ts'
import { findServer } from './compute.ts'
import { planRegion, projectsFor } from './regions.ts'
import { openSession, type Session } from './session.ts'
import { isDeleted } from './status.ts'
import { isReadable } from './to-server.ts'

/** Finds a server with a token of its own project, if the credentials have one. */
async function locate(
  session: Session,
  reference: ServerReference,
  signal: AbortSignal,
): Promise<LocatedServer> {
  const { externalId, regionId, tenantId } = reference
  const scopes = await session.keystone.findScopes(signal)
  const own = scopes.filter(({ key }) => key === tenantId)
  const plan = await planRegion(session, own.length > 0 ? own : scopes, regionId, signal)
  for (const { compute } of projectsFor(reference, plan)) {
    const server = await findServer(compute, externalId, signal)
    if (!server || isDeleted(server)) continue
    if (isReadable(server)) return { compute, server }
    throw new ActionError('failed', 'Nova does not reach the database of the cell of the server.')
  }
  throw new ActionError('not-found', `Nova has no server ${externalId} in region ${regionId}.`)
}

async function act(
  session: Session,
  call: SourceCall,
  reference: ServerReference,
  signal: AbortSignal,
): Promise<void> {
  const located = await locate(session, reference, signal)
  const { client } = located.compute
  let areSome = false
  try {
    for (const request of await requestsFor(call, located, signal)) {
      const response = await client.change(request, signal)
      if (response.status < 200 || response.status >= 300) throw toActionError(response, request)
      areSome = true
    }
  } catch (error) {
    if (!areSome || !(error instanceof SourceError)) throw error
    // A `SourceError` says that nothing was sent.
    throw new ActionError('outcome-unknown', `Only a part was carried out. ${error.message}`, {
      cause: error,
    })
  }
}

/** Opens a connection that changes servers. It logs in at once, so that wrong credentials are told here. */
export async function openOpenStackActor(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<ServerActor> {
  const session = openSession(settings, context, { sendsOnce: true })
  const close = async () => session.http.close()
  try {
    await session.keystone.findScopes(signal)
  } catch (error) {
    await close()
    throw error
  }
  return { act: (call, reference, stop) => act(session, call, reference, stop), close }
}
