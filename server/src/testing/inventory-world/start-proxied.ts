import type { SourceSettings } from '../../domain/sources/source.ts'
import type { Lifetime } from '../spawn-muster.ts'
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultSetup } from './source-back-end.ts'

/** A source that is connected through a proxy. */
export interface ProxiedSource {
  readonly settings: SourceSettings
  readonly connection: TcpProxy
}

/** Starts the proxy that fits the protocol of the source. */
export async function startProxied(lifetime: Lifetime, faults: FaultSetup): Promise<ProxiedSource> {
  if ('http' in faults) {
    const http = faults.http()
    const { url, connection } = await startFaultProxy(lifetime, http)
    return { settings: http.settingsAt(url), connection }
  }
  const socket = faults.socket()
  const { protocol, hostname: host, port, pathname: path } = new URL(socket.target)
  const target = protocol === 'unix:' ? { path } : { host, port: Number(port) }
  const connection = await startTcpProxy(lifetime, target)
  return { settings: socket.settingsAt(connection.port), connection }
}
