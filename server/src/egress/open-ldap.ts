import { once } from 'node:events'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { LdapServer, OpenLdap } from '../domain/identity/ldap-session.ts'
import { NoResponseError } from '../domain/identity/provider-driver.ts'
import { hostOf, type AddressRule } from './allowed-addresses.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { LdapMessages, readOnlyResponse } from './ldap-messages.ts'
import { createSocketOpeners } from './open-sockets.ts'
import { resolveWithSystem, type Resolve } from './resolve-addresses.ts'

/** The extended request StartTLS, with the message id 1. */
const startTls = Buffer.from(
  '301d02010177188016312e332e362e312e342e312e313436362e3230303337',
  'hex',
)

const isLoopback = (address = ''): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

async function whenAborted(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}

/** Sessions with allowed servers, each on a connection of its own. */
export function createOpenLdap(rule: AddressRule, resolve: Resolve = resolveWithSystem): OpenLdap {
  const { openTcpSocket, openTlsSocket } = createSocketOpeners(rule, resolve)
  const breaker = createCircuitBreaker()

  /** A server that refuses TLS gets no password: an attacker could answer for it. */
  async function connect({ url, ca, plainText }: LdapServer, signal: AbortSignal): Promise<Socket> {
    const isTls = url.protocol === 'ldaps:'
    const target = { host: hostOf(url), port: Number(url.port) || (isTls ? 636 : 389) }
    const tls = ca === '' ? {} : { ca }
    if (isTls) return await openTlsSocket(target, tls, signal)
    const socket = await openTcpSocket(target, signal)
    try {
      if (plainText === 'always') return socket
      if (plainText === 'loopback') {
        if (isLoopback(socket.remoteAddress)) return socket
        throw new Error('not on this machine, so plain_text does not allow passwords without TLS')
      }
      const response = readOnlyResponse(socket)
      socket.write(startTls)
      const code = await Promise.race([response, whenAborted(signal)])
      if (code !== 0) throw new Error(`the server refuses StartTLS, with result code ${code}`)
      return await openTlsSocket(target, tls, signal, socket)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  async function converse<Result>(
    server: LdapServer,
    work: Parameters<typeof openLdap<Result>>[1],
    signal: AbortSignal,
  ): Promise<Result> {
    const socket = await connect(server, signal).catch((error: unknown) => {
      throw new NoResponseError((error as Error).message, { cause: error })
    })
    const messages = new LdapMessages(socket)
    // The work sees it as well, unless it is not waiting for the connection.
    messages.on('error', () => {})
    signal.addEventListener('abort', () => messages.destroy())
    try {
      // Loaded at the first login, because most installations have no directory.
      const { createLdapSession } = await import('./ldap-session.ts')
      return await work(createLdapSession(messages))
    } catch (error) {
      throw error instanceof NoResponseError && messages.errored
        ? new NoResponseError(messages.errored.message)
        : error
    } finally {
      messages.destroy()
    }
  }

  const openLdap: OpenLdap = (server, work) =>
    breaker(server.url.host, server.ca, async () => {
      const limit = Math.max(0, Math.round(server.deadline - performance.now()))
      const aborting = new AbortController()
      const late = new NoResponseError(`no response within ${limit} ms`)
      const timer = setTimeout(() => aborting.abort(late), limit)
      try {
        const { signal } = aborting
        return await Promise.race([converse(server, work, signal), whenAborted(signal)])
      } catch (error) {
        if (!(error instanceof NoResponseError)) throw error
        throw new NoResponseError(`${server.url.host}: ${error.message}`, { cause: error })
      } finally {
        clearTimeout(timer)
      }
    })
  return openLdap
}
