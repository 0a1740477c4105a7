import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type ConnectionOptions } from 'node:tls'
import { connectionError } from '../domain/sources/connection-error.ts'
import { abortedError } from '../domain/sources/deadline.ts'
import { SourceError } from '../domain/sources/source-error.ts'
import type { TlsSettings } from '../domain/sources/source.ts'
import type { AddressRule } from './allowed-addresses.ts'
import { AddressNotAllowed, lookupFrom, resolveAllowed, type Resolve } from './resolve-addresses.ts'

export interface Target {
  readonly host: string
  readonly port: number
}

const plainFingerprint = (text: string) => text.replaceAll(':', '').toLowerCase()

/** A pinned certificate is accepted alone, whatever its issuer and name. */
function tlsOptions({ ca, fingerprint, certificate, key }: TlsSettings): ConnectionOptions {
  const own = {
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  }
  // Set explicitly, because an environment variable could turn it off.
  const checked = { rejectUnauthorized: true, checkServerIdentity }
  if (fingerprint === undefined) return { ...own, ...checked, ...(ca !== undefined && { ca }) }
  return { ...own, rejectUnauthorized: false }
}

/** TLS does not check a pinned certificate, so it is compared here. */
function requireFingerprint(
  raw: Buffer | undefined,
  fingerprint: string | undefined,
  target: string,
): void {
  if (fingerprint === undefined) return
  const seen = raw ? createHash('sha256').update(raw).digest('hex') : ''
  if (seen !== plainFingerprint(fingerprint)) {
    throw new SourceError(
      'tls',
      `${target} is not trusted: the fingerprint of the certificate does not match.`,
    )
  }
}

/** Converts a connection error to a text for operators. */
function toSourceError(error: unknown, target: string): SourceError {
  if (error instanceof AddressNotAllowed) {
    return new SourceError(
      'not-allowed',
      `${error.message}. To allow it, add it to --source-allow.`,
    )
  }
  return connectionError(error, target)
}

/** One text for all errors of a local socket: details would reveal which files exist. */
const socketError = (path: string): SourceError =>
  new SourceError(
    'unreachable',
    `The socket ${path} cannot be opened. Check that the service is running and that the user that runs Muster can access the socket.`,
  )

/** Passes resolved addresses to Node's lookup callback. */
async function lookUpLater(
  found: ReturnType<typeof resolveAllowed>,
  ...[host, options, callback]: Parameters<LookupFunction>
): Promise<void> {
  try {
    lookupFrom(await found)(host, options, callback)
  } catch (error) {
    callback(toSourceError(error, host), [])
  }
}

/** Opens sockets to allowed addresses only (SSRF protection). */
export function createSocketOpeners(rule: AddressRule, resolve: Resolve) {
  /** Resolves a name once and checks the addresses before anything is sent. */
  const guardedLookup: LookupFunction = (host, options, callback) => {
    const found = resolveAllowed(host, rule, resolve)
    void lookUpLater(found, host, options, callback)
  }

  /** Node does not call `lookup` for IP addresses, so they are checked here. */
  function requireAllowed(host: string): void {
    if (isIP(host) !== 0 && !rule(host)) {
      const refused = new AddressNotAllowed(`The address ${host} is not allowed`)
      throw toSourceError(refused, host)
    }
  }

  async function whenOpen(socket: Socket, event: string, target: string, signal: AbortSignal) {
    try {
      await once(socket, event, { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw signal.aborted ? abortedError(signal, target) : toSourceError(error, target)
    }
  }

  /** Invalid certificates and keys throw before there is a socket. */
  function attemptTls(target: string, options: ConnectionOptions) {
    try {
      return connectTls(options)
    } catch (error) {
      throw toSourceError(error, target)
    }
  }

  async function openUnixSocket(path: string, signal: AbortSignal): Promise<Socket> {
    const socket = connectPlain({ path })
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch {
      socket.destroy()
      throw signal.aborted ? abortedError(signal, `The socket ${path}`) : socketError(path)
    }
  }

  /** Over this connection, or over one of its own. */
  async function openTlsSocket(
    { host, port }: Target,
    tls: TlsSettings,
    signal: AbortSignal,
    over?: Socket,
  ) {
    const target = `${host}:${port}`
    requireAllowed(host)
    const socket = attemptTls(target, {
      host,
      port,
      lookup: guardedLookup,
      ...(over && { socket: over }),
      ...(isIP(host) === 0 && { servername: host }),
      ...tlsOptions(tls),
    })
    await whenOpen(socket, 'secureConnect', target, signal)
    try {
      requireFingerprint(socket.getPeerCertificate().raw, tls.fingerprint, target)
    } catch (error) {
      socket.destroy()
      throw error
    }
    return socket
  }

  async function openTcpSocket({ host, port }: Target, signal: AbortSignal): Promise<Socket> {
    requireAllowed(host)
    const socket = connectPlain({ host, port, lookup: guardedLookup })
    return await whenOpen(socket, 'connect', `${host}:${port}`, signal)
  }

  return { openUnixSocket, openTcpSocket, openTlsSocket }
}
