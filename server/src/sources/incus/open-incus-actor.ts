import { ActionError, sourceActions, type ServerActor } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerReference, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { toPlanError } from '../shared/to-action-error.ts'
import { readTlsSettings } from '../shared/tls-settings.ts'
import { projectsOf, readAddress } from './address.ts'
import { createApi } from './api.ts'
import { isDone, planRequests, toChange } from './action-requests.ts'
import { findWork, sendChange } from './changes.ts'
import { readDaemon } from './daemon.ts'
import { locateInstance } from './locate-instance.ts'
import { acquireMemory } from './memory.ts'

/** Opens a connection to a daemon that may change instances. */
export async function openIncusActor(
  settings: SourceSettings,
  context: SourceContext,
  openSignal: AbortSignal,
): Promise<ServerActor> {
  const address = readAddress(settings.address)
  if (typeof address === 'string') throw new SourceError('unreachable', address)
  const { socketPath } = address
  const target = socketPath === undefined ? readTlsSettings(settings) : { socketPath }
  const reading = createHttpClient(context, target)
  const changing = createHttpClient(context, { ...target, sendsOnce: true })
  const closeClients = () => {
    reading.close()
    changing.close()
  }
  try {
    const daemon = await readDaemon(createApi(reading, address, openSignal))
    const { memory, release } = acquireMemory(settings, context, daemon.fingerprint)
    const projects = projectsOf(settings)
    const { clock } = context
    const locate = async (reference: ServerReference, signal: AbortSignal) => {
      const api = createApi(reading, address, signal)
      try {
        return await locateInstance({ api, daemon, memory, projects, clock }, reference)
      } catch (error) {
        throw toPlanError(error)
      }
    }

    const plan: ServerActor['plan'] = async (call, reference, signal) =>
      planRequests(call, await locate(reference, signal))

    const send: ServerActor['send'] = async (request, reference, signal) => {
      const change = toChange(request, await locate(reference, signal))
      const api = createApi(reading, address, signal)
      return await sendChange({ client: changing, api, address, signal }, change)
    }

    return {
      plan,
      send,
      async check(request, reference, signal) {
        try {
          const instance = await locate(reference, signal)
          const done = isDone(request, instance)
          if (done === true) return true
          const work = await findWork(createApi(reading, address, signal), request.name, instance)
          return work ?? done ?? 'idle'
        } catch (error) {
          if (error instanceof ActionError && error.kind === 'not-found') return undefined
          throw error
        }
      },

      /** There are no certificates that may only read, and the daemon trusts this one. */
      allowed: async () => Object.fromEntries(sourceActions.map((action) => [action, true])),
      async close() {
        release()
        closeClients()
      },
    }
  } catch (error) {
    closeClients()
    throw error
  }
}
