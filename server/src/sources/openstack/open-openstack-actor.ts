import { ActionError, type ServerActor } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerReference, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { toPlanError } from '../shared/to-action-error.ts'
import { isSuccess, toActionError } from './action-error.ts'
import { isDone, planRequests, toChange, type LocatedServer } from './action-requests.ts'
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
  const { projects, failed } = await planRegion(
    session,
    own.length > 0 ? own : scopes,
    regionId,
    signal,
  )
  for (const { compute } of projectsFor(reference, projects)) {
    const server = await findServer(compute, externalId, signal)
    if (!server || isDeleted(server)) continue
    if (isReadable(server)) return { compute, server }
    throw new SourceError('failed', 'Nova does not reach the database of the cell of the server.')
  }
  // It may be in a project that could not be opened.
  if (failed[0]) throw failed[0].error
  throw new ActionError('not-found', `Nova has no server ${externalId} in region ${regionId}.`)
}

/**
 * Opens a connection that changes servers. It logs in at once, so that wrong credentials are reported here.
 */
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
  const locations = new Map<string, Promise<LocatedServer>>()
  /** Located once for the requests of an action. A failure is not stored. */
  async function locateOnce(reference: ServerReference, stop: AbortSignal): Promise<LocatedServer> {
    const key = reference.externalId
    const located = locations.get(key) ?? locate(session, reference, stop)
    locations.set(key, located)
    return await located.catch((error: unknown) => {
      locations.delete(key)
      throw error
    })
  }

  const plan: ServerActor['plan'] = async (call, reference, stop) => {
    try {
      return await planRequests(call, await locate(session, reference, stop), stop)
    } catch (error) {
      throw toPlanError(error)
    }
  }

  const send: ServerActor['send'] = async (request, reference, stop) => {
    const located = await locateOnce(reference, stop)
    const change = toChange(request, located)
    const response = await located.compute.client.change(change, stop)
    if (!isSuccess(response, change.success)) throw toActionError(response, change)
  }

  return {
    plan,
    send,
    async check(request, reference, stop) {
      try {
        return await isDone(request, await locate(session, reference, stop), stop)
      } catch (error) {
        if (error instanceof ActionError && error.kind === 'not-found') return undefined
        throw error
      }
    },
    close,
  }
}
