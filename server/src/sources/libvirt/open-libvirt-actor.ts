import {
  ActionError,
  sourceActions,
  type ServerActor,
  type SourceCall,
} from '../../domain/sources/action-port.ts'
import { deadline } from '../../domain/sources/deadline.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createCalls, type Calls } from './calls.ts'
import { createChanges, type Changes } from './changes.ts'
import { connect, disconnect } from './connect.ts'
import { deleteDomain } from './delete-domain.ts'
import { xmlFlags } from './protocol.ts'
import { LibvirtError, uuidForm, type DomainHandle } from './records.ts'
import { resizeDomain } from './resize-domain.ts'
import { isSleeping } from './status.ts'
import { convertLibvirtError } from './convert-libvirt-error.ts'

/** The signal limits calls that change something: a start may take minutes. */
const unlimited = 2_147_483_647

/** libvirt never gives it to a domain. */
const nobody: DomainHandle = { name: 'none', uuid: '00000000-0000-0000-0000-000000000000', id: -1 }

interface Means {
  readonly calls: Calls
  readonly changes: Changes
}

async function carryOut(means: Means, domain: DomainHandle, call: SourceCall): Promise<void> {
  const { calls, changes } = means
  switch (call.kind) {
    case 'start':
      return await changes.start(domain)
    case 'stop':
      return await (call.isForced ? changes.destroy(domain) : changes.shutDown(domain))
    case 'reset':
      return await changes.reset(domain)
    case 'suspend':
      return await changes.suspend(domain)
    case 'resume':
      return await (isSleeping(await calls.domainState(domain))
        ? changes.wakeUp(domain)
        : changes.resume(domain))
    case 'resize':
      return await resizeDomain(means, domain, call.size)
    case 'update':
      if (call.changes.name !== undefined) await changes.rename(domain, call.changes.name)
      return
    case 'delete':
      return await deleteDomain(means, domain, call.disks)
    case 'restart':
    case 'confirm-resize':
      throw new ActionError('unsupported', `libvirt cannot ${call.kind} a domain.`)
  }
}

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

  async function findDomain(uuid: string, signal: AbortSignal): Promise<DomainHandle> {
    const domain = uuidForm.test(uuid)
      ? await createCalls(client, limit(signal), throttle).domainByUuid(uuid)
      : undefined
    if (domain) return domain
    throw new ActionError('not-found', `libvirt has no domain with the UUID ${uuid}.`)
  }

  return {
    async act(call, { externalId }, signal) {
      const calls = createCalls(client, signal, throttle)
      const changes = createChanges(client, signal, throttle)
      try {
        await carryOut({ calls, changes }, await findDomain(externalId, signal), call)
      } catch (error) {
        throw convertLibvirtError(error, changes.wasSent())
      }
    },

    /** Reads what a read-only connection may not read, of a domain that does not exist. */
    async allowed(signal) {
      const calls = createCalls(client, limit(signal), throttle)
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
