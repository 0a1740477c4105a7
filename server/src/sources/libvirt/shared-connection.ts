import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { shareConnections } from '../shared/share-connections.ts'
import { createCalls } from './calls.ts'
import { connect, disconnect } from './connect.ts'
import { readHost, type Host } from './host.ts'
import { createDomainReader, type DomainReader } from './read-domains.ts'
import type { RpcClient } from './rpc-client.ts'

/** An open connection with the host's description. */
interface Connection {
  readonly client: RpcClient
  readonly host: Host
  readonly reader: DomainReader
}

async function openConnection(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Connection> {
  const { group: given } = settings.options
  const group = typeof given === 'string' && given !== '' ? given : 'default'
  const client = await connect(settings, context, signal, {
    isReadOnly: true,
    callLimit: context.timeLimit,
  })
  try {
    const host = await readHost(createCalls(client, signal, context.throttle))
    return { client, host, reader: createDomainReader(host, group, settings.address) }
  } catch (error) {
    client.close()
    throw error
  }
}

export const acquireConnection = shareConnections({
  target: 'libvirt',
  open: openConnection,
  close: ({ client }) => disconnect(client),
  whenLost: ({ client }, forget) => client.whenLost(forget),
})
