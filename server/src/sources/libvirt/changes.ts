import { ActionError, type SourceRequest } from '../../domain/sources/action-port.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import { unlessGone } from './calls.ts'
import { convertLibvirtError } from './convert-libvirt-error.ts'
import { changingProcedures, procedures, type ChangingProcedure } from './protocol.ts'
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

/** A daemon that answers a later call of the same connection has received the earlier one, and works on it. */
async function isInProgress(rpc: RpcClient, timeLimit: number): Promise<boolean> {
  const call = {
    procedure: procedures.connectGetLibVersion,
    read: (reader: XdrReader) => reader.hyper(),
  }
  return await rpc.call(call, AbortSignal.timeout(timeLimit)).then(
    () => true,
    () => false,
  )
}

/** Sends a stored request, once. A start may take longer than the signal. */
export async function sendChange(
  {
    rpc,
    throttle,
    timeLimit,
  }: { readonly rpc: RpcClient } & Pick<SourceContext, 'throttle' | 'timeLimit'>,
  request: SourceRequest,
  domain: DomainHandle | undefined,
  signal: AbortSignal,
): Promise<void | 'pending'> {
  const { procedure, write, read = () => {} } = toChange(request, domain)
  let wasSent = false
  const writeBody = (writer: XdrWriter) => {
    // The message is written right after its body.
    wasSent = true
    write(writer)
  }
  await throttle()
  try {
    const answer = rpc.call({ procedure, write: writeBody, read }, signal)
    await (request.target === undefined ? answer : unlessGone(answer))
    return undefined
  } catch (error) {
    if (wasSent && signal.aborted && (await isInProgress(rpc, Math.min(timeLimit, 2_000))))
      return 'pending'
    throw convertLibvirtError(error, wasSent ? request.name : undefined)
  }
}
