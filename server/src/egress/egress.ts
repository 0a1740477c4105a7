import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { deadline } from '../domain/sources/deadline.ts'
import type { ConnectionSettings, Egress } from '../domain/sources/source.ts'
import type { AddressRule } from './allowed-addresses.ts'
import { createSocketOpeners, type Target } from './open-sockets.ts'
import { resolveWithSystem, type Resolve } from './resolve-addresses.ts'

interface HttpTarget extends Target {
  readonly isSecure: boolean
}

/** The callback that Node's agents and undici pass. */
type Connected = (error: Error | null, socket: Socket | null) => void

/** Of a WebSocket message, in bytes. The default of undici is 128 MB. */
const maxMessageSize = 2 ** 20

/** Milliseconds to open a connection for an HTTP client. */
const connectLimit = 20_000

/** Opens connections to allowed addresses only (SSRF protection). */
export function createEgress(rule: AddressRule, resolve: Resolve = resolveWithSystem): Egress {
  const sockets = createSocketOpeners(rule, resolve)

  /** Opens a connection for an HTTP client, which also has a time limit of its own. */
  async function openForHttp(
    target: HttpTarget,
    connection: ConnectionSettings,
    signal: AbortSignal,
  ): Promise<Socket> {
    if (connection.socketPath !== undefined) {
      return await sockets.openUnixSocket(connection.socketPath, signal)
    }
    if (target.isSecure) return await sockets.openTlsSocket(target, connection, signal)
    return await sockets.openTcpSocket(target, signal)
  }

  async function connectLater(
    target: HttpTarget,
    connection: ConnectionSettings,
    callback: Connected,
    closing?: AbortSignal,
  ): Promise<void> {
    let socket: Socket
    try {
      const limit = deadline(connectLimit)
      const signal = closing ? AbortSignal.any([closing, limit]) : limit
      socket = await openForHttp(target, connection, signal)
    } catch (error) {
      callback(error as Error, null)
      return
    }
    callback(null, socket)
  }

  return {
    ...sockets,

    createAgents(connection) {
      // Without `maxSockets`: agents count a connection only when it is open, so it would not limit a burst.
      const options = { keepAlive: true }
      const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
      for (const agent of [agents.http, agents.https]) {
        const closing = new AbortController()
        agent.createConnection = (target, callback) => {
          const { host, port } = target as Target
          const isSecure = agent === agents.https
          // Node passes a callback, and waits for it if nothing is returned.
          void connectLater(
            { host, port, isSecure },
            connection,
            callback as Connected,
            closing.signal,
          )
          return undefined
        }
        const destroy = agent.destroy.bind(agent)
        agent.destroy = () => {
          // An agent keeps a connection that opens after it was destroyed.
          closing.abort()
          destroy()
        }
      }
      return agents
    },

    async createDispatcher(connection) {
      // Loaded on demand, because only some sources need it.
      const { Agent } = await import('undici')
      return new Agent({
        connections: 8,
        webSocket: { maxPayloadSize: maxMessageSize },
        connect: ({ hostname, port, protocol }, callback) => {
          const isSecure = protocol === 'https:'
          const host = hostname.replace(/^\[(.*)\]$/, '$1')
          const target = { host, port: Number(port) || (isSecure ? 443 : 80), isSecure }
          void connectLater(target, connection, callback as Connected)
        },
      })
    },
  }
}
