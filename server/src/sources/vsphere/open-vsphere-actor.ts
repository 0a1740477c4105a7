import {
  ActionError,
  type ServerActor,
  type SourceAction,
} from '../../domain/sources/action-port.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { childrenOf } from '../shared/parse-xml.ts'
import { toPlanError } from '../shared/to-action-error.ts'
import { isDone, isTask, parametersOf, planRequests } from './action-requests.ts'
import { findByUuid, uuidOfServer } from './find-by-uuid.ts'
import { callMethod, callAndWait } from './call-and-wait.ts'
import { openSession, type Api } from './session.ts'
import { escapeXml, hasEnded, refXml, type ObjectRef } from './soap.ts'
import { privileges } from './vsphere-acting.ts'
import { readVSphereSettings } from './vsphere-settings.ts'

async function findMachine(api: Api, externalId: string): Promise<ObjectRef> {
  const found = await findByUuid(api, uuidOfServer(externalId))
  const [, id = found[0]?.id] = externalId.split('/')
  // If one of them is deleted, the UUID alone refers to another one.
  if (found.length > 1) {
    throw new ActionError(
      'conflict',
      `${api.host} has ${found.length} machines with this UUID. Give each a UUID of its own first.`,
    )
  }
  const ref = found.find((one) => one.id === id)
  if (ref) return ref
  throw new ActionError('not-found', `${api.host} does not have ${externalId}.`)
}

/** Which actions the user may do everywhere. A role on a part of the inventory is not detected. */
async function findAllowed(api: Api, sessionId: string) {
  const ids = [...new Set(Object.values(privileges).flat())]
  const listed = ids.map((id) => `<privId>${id}</privId>`).join('')
  const response = await api.call(
    'HasPrivilegeOnEntity',
    api.manager('authorizationManager'),
    `${refXml('entity', api.manager('rootFolder'))}<sessionId>${escapeXml(sessionId)}</sessionId>${listed}`,
  )
  const answers = childrenOf(response, 'returnval')
  const granted = new Set(ids.filter((_id, index) => answers[index]?.text === 'true'))
  const allowed: Partial<Record<SourceAction, boolean>> = {}
  for (const [action, needed] of Object.entries(privileges)) {
    if (needed.every((id) => granted.has(id))) allowed[action as SourceAction] = true
  }
  return allowed
}

/** Logs in for changes, with a session of its own. */
export async function openVSphereActor(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<ServerActor> {
  const open = (stop: AbortSignal) =>
    openSession(readVSphereSettings(settings), context, stop, true)
  let session = await open(signal)
  let isEnded = false

  /** Logs in again if vSphere has ended the session. */
  async function use<Result>(
    stop: AbortSignal,
    work: (api: Api) => Promise<Result>,
  ): Promise<Result> {
    if (isEnded) {
      const next = await open(stop)
      await session.close()
      session = next
      isEnded = false
    }
    try {
      return await work(session.until(stop))
    } catch (error) {
      const isRefused = error instanceof ActionError && error.kind === 'denied' && error.mayRetry
      isEnded = isRefused || hasEnded(error)
      throw error
    }
  }

  const plan: ServerActor['plan'] = (call, { externalId }, stop) =>
    use(stop, async (api) => {
      try {
        return await planRequests(call, api, await findMachine(api, externalId))
      } catch (error) {
        throw toPlanError(error)
      }
    })

  const send: ServerActor['send'] = (request, { externalId }, stop) =>
    use(stop, async (api) => {
      const ref = await findMachine(api, externalId)
      const parameters = parametersOf(request)
      return await (isTask(request.name)
        ? callAndWait(api, request.name, ref, stop, parameters)
        : callMethod(api, request.name, ref, parameters))
    })

  return {
    plan,
    send,
    check: (request, { externalId }, stop) =>
      use(stop, async (api) => {
        const ref = (await findByUuid(api, uuidOfServer(externalId)))[0]
        return ref && (await isDone(request, api, ref))
      }),
    allowed: (stop) => use(stop, (api) => findAllowed(api, session.id)),
    close: () => session.close(),
  }
}
