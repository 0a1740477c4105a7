import { SourceError } from '../../domain/sources/source-error.ts'
import type { Source, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { openEventStream } from '../shared/event-stream.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { readTlsSettings } from '../shared/tls-settings.ts'
import { projectsOf, readAddress, type DaemonAddress } from './address.ts'
import { createApi } from './api.ts'
import type { Connection } from './connection.ts'
import { readDaemon } from './daemon.ts'
import { getServers } from './get-server.ts'
import { acquireMemory } from './memory.ts'
import { scanInstances } from './scan.ts'
import { watchInstances } from './watch.ts'

/** Of events, in milliseconds. */
const pingInterval = 10_000

function eventsOf({ url: base }: DaemonAddress): URL {
  const url = new URL('/1.0/events?type=lifecycle&all-projects=true', base)
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}

export async function openIncus(
  settings: SourceSettings,
  context: SourceContext,
  openSignal: AbortSignal,
): Promise<Source> {
  const address = readAddress(settings.address)
  if (typeof address === 'string') throw new SourceError('unreachable', address)
  const { socketPath } = address
  const target = socketPath === undefined ? readTlsSettings(settings) : { socketPath }
  const client = createHttpClient(context, target)
  const events = { pingInterval, connection: target, context }
  const apiFor = (signal: AbortSignal) => createApi(client, address, signal)
  try {
    const daemon = await readDaemon(apiFor(openSignal))
    const { memory, release } = acquireMemory(settings, context, daemon.fingerprint)
    const connectionFor = (signal: AbortSignal): Connection => ({
      api: apiFor(signal),
      daemon,
      memory,
      projects: projectsOf(settings),
      clock: context.clock,
    })
    return {
      title: `${daemon.product} ${daemon.version} on ${daemon.serverName}${daemon.isClustered ? ' (cluster)' : ''}`,
      scan: (signal) => scanInstances(connectionFor(signal)),
      async get(reference, signal) {
        return (await getServers(connectionFor(signal), [reference]))[0]
      },
      getMany: (references, signal) => getServers(connectionFor(signal), references),
      watch: (signal) =>
        watchInstances(
          connectionFor(signal),
          (listener) => openEventStream({ url: eventsOf(address), ...events }, listener, signal),
          signal,
        ),
      async close() {
        release()
        client.close()
      },
    }
  } catch (error) {
    client.close()
    throw error
  }
}
