import type { Socket } from 'node:net'
import { abortedError, deadline } from '../../domain/sources/deadline.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceSettings, SourceContext } from '../../domain/sources/source.ts'
import { readTlsSettings } from '../shared/tls-settings.ts'
import { readAddress, type LibvirtAddress } from './address.ts'
import { authTypes, procedures, readOnly } from './protocol.ts'
import { LibvirtError } from './records.ts'
import { createRpcClient, type RpcClient } from './rpc-client.ts'

const maxAuthTypes = 20

/** After the TLS handshake libvirt sends one byte: whether it accepts the client certificate. */
async function readCertificateVerdict(socket: Socket, signal: AbortSignal): Promise<void> {
  const refused = (cause?: unknown) =>
    new SourceError('tls', 'libvirt requires a client certificate, or rejected it.', { cause })
  const verdict = Promise.withResolvers<number | undefined>()
  const onData = (chunk: Buffer) => {
    socket.pause()
    if (chunk.length > 1) socket.unshift(chunk.subarray(1))
    verdict.resolve(chunk[0])
  }
  const onError = (error: Error) => verdict.reject(refused(error))
  const onClose = () => verdict.reject(refused())
  const onAbort = () => verdict.reject(abortedError(signal, 'libvirt'))
  try {
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    socket.once('data', onData).once('error', onError).once('close', onClose)
    if ((await verdict.promise) !== 1) {
      throw new SourceError(
        'invalid-response',
        'The server at this address is not libvirt with TLS.',
      )
    }
  } catch (error) {
    // Ignore further errors of this socket.
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.off('data', onData).off('error', onError).off('close', onClose)
  }
}

async function openSocket(
  target: LibvirtAddress,
  settings: SourceSettings,
  { egress, timeLimit }: SourceContext,
  signal: AbortSignal,
): Promise<Socket> {
  const limited = AbortSignal.any([signal, deadline(timeLimit)])
  if (target.transport === 'unix') return await egress.openUnixSocket(target.path, limited)
  const socket = await egress.openTlsSocket(target, readTlsSettings(settings), limited)
  await readCertificateVerdict(socket, limited)
  return socket
}

/** Authenticates. Supports no authentication (TLS certificates, socket permissions) and polkit. */
async function authenticate(client: RpcClient, signal: AbortSignal): Promise<void> {
  const types = await client.call(
    {
      procedure: procedures.authList,
      read: (reader) => reader.array(maxAuthTypes, () => reader.int()),
    },
    signal,
  )
  if (types.length === 0 || types.includes(authTypes.none)) return
  if (types.includes(authTypes.polkit)) return await authenticateWithPolkit(client, signal)
  throw new SourceError(
    'credentials',
    types.includes(authTypes.sasl)
      ? 'libvirt requires SASL, which Muster does not support. Use TLS with certificates, or a socket.'
      : 'libvirt requires an authentication method that Muster does not support.',
  )
}

/**
 * polkit may allow the user of the Muster process without a prompt, for example by the group
 * libvirt.
 */
async function authenticateWithPolkit(client: RpcClient, signal: AbortSignal): Promise<void> {
  try {
    await client.call({ procedure: procedures.authPolkit, read: (reader) => reader.int() }, signal)
  } catch (error) {
    if (!(error instanceof LibvirtError)) throw error
    throw new SourceError(
      'credentials',
      'polkit denies access to libvirt. Add the user that runs Muster to the group libvirt.',
      { cause: error },
    )
  }
}

/** What a connection is for, and the milliseconds that its calls may take. */
export interface ConnectionUse {
  readonly isReadOnly: boolean
  readonly callLimit: number
}

/** Opens an authenticated connection to the daemon. */
export async function connect(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
  { isReadOnly, callLimit }: ConnectionUse,
): Promise<RpcClient> {
  const target = readAddress(settings.address)
  if (typeof target === 'string') throw new SourceError('unreachable', `The address ${target}.`)
  const socket = await openSocket(target, settings, context, signal)
  const client = createRpcClient(socket, callLimit)
  try {
    await authenticate(client, signal)
    await client.call(
      {
        procedure: procedures.connectOpen,
        write: (writer) =>
          writer.optional(target.uri, (uri) => writer.string(uri)).uint(isReadOnly ? readOnly : 0),
        read: () => {},
      },
      signal,
    )
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

/** Tells the daemon, if it still answers, and closes the connection. */
export async function disconnect(client: RpcClient): Promise<void> {
  if (!client.failure()) {
    await client
      .call({ procedure: procedures.connectClose, read: () => {} }, AbortSignal.timeout(1_000))
      .catch(() => {})
  }
  client.close()
}
