import { ActionError, type SourceRequest } from '../../domain/sources/action-port.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { createCalls } from './calls.ts'
import { unlessGone } from './tolerated-errors.ts'
import { convertLibvirtError } from './convert-libvirt-error.ts'
import { changingProcedures, type ChangingProcedure } from './protocol.ts'
import {
  writeDomainHandle,
  writeVolumeHandle,
  type DomainHandle,
  type VolumeHandle,
} from './records.ts'
import type { RpcClient } from './rpc-client.ts'
import type { XdrReader, XdrWriter } from './xdr.ts'

/** A call of libvirt that changes something. */
interface Change {
  readonly procedure: ChangingProcedure
  readonly write: (writer: XdrWriter) => unknown
  readonly read?: (reader: XdrReader) => unknown
}

const plain: Readonly<Record<string, ChangingProcedure>> = {
  virDomainCreate: changingProcedures.domainCreate,
  /** By the guest agent if there is one, else by ACPI. */
  virDomainShutdown: changingProcedures.domainShutdown,
  virDomainDestroy: changingProcedures.domainDestroy,
  virDomainSuspend: changingProcedures.domainSuspend,
  virDomainResume: changingProcedures.domainResume,
}
const withFlags: Readonly<Record<string, ChangingProcedure>> = {
  virDomainReset: changingProcedures.domainReset,
  virDomainPMWakeup: changingProcedures.domainPmWakeup,
  virDomainUndefineFlags: changingProcedures.domainUndefineFlags,
}

/** The volume that a stored request is about. */
export const volumeOf = ({ target = '', data = {} }: SourceRequest): VolumeHandle => ({
  pool: String(data['pool']),
  name: String(data['name']),
  key: target,
})

/** A stored request as a call. The deletion of a volume needs no domain. */
function toChange(request: SourceRequest, domain: DomainHandle | undefined): Change {
  const { name, data = {} } = request
  const numberOf = (key: string) => Number(data[key] ?? 0)
  if (name === 'virStorageVolDelete') {
    const write = (writer: XdrWriter) => writeVolumeHandle(writer, volumeOf(request)).uint(0)
    return { procedure: changingProcedures.storageVolDelete, write }
  }
  if (!domain) throw new ActionError('not-found', 'libvirt no longer has the domain.')
  const simple = plain[name]
  if (simple) return { procedure: simple, write: (writer) => writeDomainHandle(writer, domain) }
  const flagged = withFlags[name]
  if (flagged) {
    const write = (writer: XdrWriter) => writeDomainHandle(writer, domain).uint(numberOf('flags'))
    return { procedure: flagged, write }
  }
  switch (name) {
    case 'virDomainSetVcpusFlags':
      return {
        procedure: changingProcedures.domainSetVcpusFlags,
        write: (writer) =>
          writeDomainHandle(writer, domain).uint(numberOf('count')).uint(numberOf('flags')),
      }
    case 'virDomainSetMemoryFlags':
      return {
        procedure: changingProcedures.domainSetMemoryFlags,
        write: (writer) =>
          writeDomainHandle(writer, domain)
            .hyper(BigInt(numberOf('kib')))
            .uint(numberOf('flags')),
      }
    case 'virDomainRename':
      return {
        procedure: changingProcedures.domainRename,
        write: (writer) =>
          writeDomainHandle(writer, domain)
            .optional(String(data['name']), (text) => writer.string(text))
            .uint(0),
        read: (reader) => reader.int(),
      }
    default:
      throw new ActionError('unsupported', `libvirt has no ${name}.`)
  }
}

interface Means extends Pick<SourceContext, 'throttle' | 'timeLimit'> {
  readonly rpc: RpcClient
}

/**
 * A daemon that answers a later call of the same connection has received the earlier one. Undefined if it does not
 * answer.
 */
async function progressOf(
  { rpc, throttle, timeLimit }: Means,
  domain: DomainHandle | undefined,
): Promise<'working' | 'pending' | undefined> {
  const signal = AbortSignal.timeout(Math.min(timeLimit, 2_000))
  const calls = createCalls(rpc, signal, throttle)
  try {
    await calls.libraryVersion()
    return domain && (await calls.isBusy(domain)) === true ? 'working' : 'pending'
  } catch {
    return undefined
  }
}

/** Sends a stored request, once. A start may take longer than the signal. */
export async function sendChange(
  means: Means,
  request: SourceRequest,
  domain: DomainHandle | undefined,
  signal: AbortSignal,
): Promise<void | 'working' | 'pending'> {
  const { procedure, write, read = () => {} } = toChange(request, domain)
  let wasSent = false
  const writeBody = (writer: XdrWriter) => {
    // The message is written right after its body.
    wasSent = true
    write(writer)
  }
  await means.throttle()
  try {
    const answer = means.rpc.call({ procedure, write: writeBody, read }, signal)
    await (request.target === undefined ? answer : unlessGone(answer))
    return undefined
  } catch (error) {
    const progress = wasSent && signal.aborted ? await progressOf(means, domain) : undefined
    if (progress) return progress
    throw convertLibvirtError(error, wasSent ? request.name : undefined)
  }
}
