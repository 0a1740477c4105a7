import {
  ActionError,
  sourceActions,
  type ServerActor,
  type ServerSize,
  type ServerUpdate,
  type SourceCall,
} from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { readTlsSettings } from '../shared/tls-settings.ts'
import { projectsOf, readAddress } from './address.ts'
import { createApi } from './api.ts'
import { createChanges, type Change, type Changes } from './changes.ts'
import { readDaemon } from './daemon.ts'
import type { Instance } from './instance.ts'
import { locateInstance } from './locate-instance.ts'
import { acquireMemory } from './memory.ts'
import { maxBytes } from './open-incus.ts'
import { isActive } from './status.ts'
import { convertDaemonError } from './convert-daemon-error.ts'

/** Seconds that the daemon waits for the guest. Meanwhile it refuses other changes of the instance. */
const shutdownLimit = 60
/** Milliseconds after which a request to shut down counts as accepted. Refusals arrive at once. */
const shutdownPatience = 1_000

type State = 'start' | 'stop' | 'restart' | 'freeze' | 'unfreeze'

const limitsOf = ({ vcpu_count, vmem_size }: ServerSize) => ({
  ...(vcpu_count !== undefined && { 'limits.cpu': String(vcpu_count) }),
  ...(vmem_size !== undefined && { 'limits.memory': `${vmem_size}MiB` }),
})

/** The changes of one instance. */
function changesOf({ send }: Changes, { project, name, status }: Instance) {
  const sendTo = (change: Omit<Change, 'project' | 'name'>) => send({ project, name, ...change })
  const setState = (action: State, force = false) =>
    sendTo({ method: 'PUT', part: '/state', body: { action, force, timeout: -1 } })
  const setConfig = (config: Readonly<Record<string, string>>) =>
    sendTo({ method: 'PATCH', body: { config } })

  return {
    setState,
    setConfig,
    shutDown: () =>
      sendTo({
        method: 'PUT',
        part: '/state',
        body: { action: 'stop', force: false, timeout: shutdownLimit },
        patience: shutdownPatience,
      }),
    async update({ name: newName, disable_delete }: ServerUpdate) {
      if (disable_delete !== undefined) {
        await setConfig({ 'security.protection.delete': String(disable_delete) })
      }
      if (newName !== undefined) await sendTo({ method: 'POST', body: { name: newName } })
    },
    /** An ephemeral instance is deleted by the stop. */
    async delete(isEphemeral: boolean) {
      if (isActive(status)) {
        await setState('stop', true)
        if (isEphemeral) return
      }
      await sendTo({ method: 'DELETE' })
    },
  }
}

async function carryOut(changes: Changes, instance: Instance, call: SourceCall): Promise<void> {
  const change = changesOf(changes, instance)
  switch (call.kind) {
    case 'start':
      return await change.setState('start')
    case 'stop':
      return await (call.isForced ? change.setState('stop', true) : change.shutDown())
    case 'reset':
      return await change.setState('restart', true)
    case 'suspend':
      return await change.setState('freeze')
    case 'resume':
      return await change.setState('unfreeze')
    case 'resize':
      return await change.setConfig(limitsOf(call.size))
    case 'update':
      return await change.update(call.changes)
    case 'delete':
      return await change.delete(instance.isEphemeral)
    case 'restart':
    case 'confirm-resize':
      throw new ActionError('unsupported', `Incus and LXD cannot ${call.kind} an instance.`)
  }
}

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
  const reading = createHttpClient(context, { ...target, maxBytes })
  const changing = createHttpClient(context, { ...target, sendsOnce: true })
  const closeClients = () => {
    reading.close()
    changing.close()
  }
  try {
    const daemon = await readDaemon(createApi(reading, address, openSignal))
    const { memory, release } = acquireMemory(settings, context, daemon.fingerprint)
    const projects = projectsOf(settings)
    return {
      async act(call, reference, signal) {
        const api = createApi(reading, address, signal)
        const changes = createChanges({ client: changing, api, address, signal })
        try {
          const { clock } = context
          const connection = { api, daemon, memory, projects, clock }
          await carryOut(changes, await locateInstance(connection, reference), call)
        } catch (error) {
          throw convertDaemonError(error, changes.wasSent())
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
