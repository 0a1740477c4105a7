import { ActionError, sourceActions, type ServerActor } from '../../domain/sources/action-port.ts'
import { deadline } from '../../domain/sources/deadline.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { toPlanError } from '../shared/to-action-error.ts'
import { isDone, planRequests } from './action-requests.ts'
import { createCalls } from './calls.ts'
import { sendChange } from './changes.ts'
import { connect, disconnect } from './connect.ts'
import { xmlFlags } from './protocol.ts'
import { LibvirtError, uuidForm, type DomainHandle } from './records.ts'

/** The signal limits calls that change something: a start may take minutes. */
const unlimited = 2_147_483_647

/** A UUID that libvirt never assigns to a domain. */
const nobody: DomainHandle = { name: 'none', uuid: '00000000-0000-0000-0000-000000000000', id: -1 }

/** Opens a connection to a libvirt daemon that may change domains. */
export async function openLibvirtActor(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<ServerActor> {
  const { throttle, timeLimit } = context
  const limit = (signal: AbortSignal) => AbortSignal.any([signal, deadline(timeLimit)])
  const use = { isReadOnly: false, callLimit: unlimited }
  const client = await connect(settings, context, limit(signal), use)

  const readUntil = (signal: AbortSignal) => createCalls(client, limit(signal), throttle)
  const findDomain = async (uuid: string, signal: AbortSignal) =>
    uuidForm.test(uuid) ? await readUntil(signal).domainByUuid(uuid) : undefined
  async function requireDomain(uuid: string, signal: AbortSignal): Promise<DomainHandle> {
    const domain = await findDomain(uuid, signal)
    if (domain) return domain
    throw new ActionError('not-found', `libvirt has no domain with the UUID ${uuid}.`)
  }

  const plan: ServerActor['plan'] = async (call, { externalId }, signal) => {
    try {
      const domain = await requireDomain(externalId, signal)
      return await planRequests(call, domain, readUntil(signal))
    } catch (error) {
      throw toPlanError(error)
    }
  }

  const send: ServerActor['send'] = async (request, { externalId }, signal) => {
    // A volume may outlive a domain that is not persistent.
    const isOfDomain = request.target === undefined
    try {
      const domain = isOfDomain ? await requireDomain(externalId, signal) : undefined
      return await sendChange({ rpc: client, throttle, timeLimit }, request, domain, signal)
    } catch (error) {
      throw toPlanError(error)
    }
  }

  return {
    plan,
    send,
    check: async (request, { externalId }, signal) =>
      await isDone(request, await findDomain(externalId, signal), readUntil(signal)),

    /** Reads what a read-only connection may not read, of a domain that does not exist. */
    async allowed(signal) {
      const calls = readUntil(signal)
      const all = (isAllowed: boolean) =>
        Object.fromEntries(sourceActions.map((action) => [action, isAllowed]))
      try {
        await calls.domainXml(nobody, xmlFlags.secure)
        return all(true)
      } catch (error) {
        const isDenied = error instanceof LibvirtError && error.kind === 'forbidden'
        if (isDenied) return all(false)
        throw error
      }
    },

    close: () => disconnect(client),
  }
}
