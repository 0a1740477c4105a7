import type { SourceContext } from '../../domain/sources/source.ts'
import { changingProcedures, type ChangingProcedure } from './protocol.ts'
import {
  writeDomainHandle,
  writeVolumeHandle,
  type DomainHandle,
  type VolumeHandle,
} from './records.ts'
import type { RpcClient } from './rpc-client.ts'
import type { XdrReader, XdrWriter } from './xdr.ts'

/** The libvirt calls that change something, for one action. */
export function createChanges(
  rpc: RpcClient,
  signal: AbortSignal,
  throttle: SourceContext['throttle'],
) {
  let wasSent = false

  async function send(
    procedure: ChangingProcedure,
    write: (writer: XdrWriter) => unknown,
    read: (reader: XdrReader) => unknown = () => {},
  ): Promise<void> {
    await throttle()
    await rpc.call(
      {
        procedure,
        write(writer) {
          // The message is written right after its body.
          wasSent = true
          write(writer)
        },
        read,
      },
      signal,
    )
  }
  const sendPlain = (procedure: ChangingProcedure) => (domain: DomainHandle) =>
    send(procedure, (writer) => writeDomainHandle(writer, domain))
  const sendWithFlags =
    (procedure: ChangingProcedure) =>
    (domain: DomainHandle, flags = 0) =>
      send(procedure, (writer) => writeDomainHandle(writer, domain).uint(flags))

  return {
    /** Whether a call was sent, with or without an answer. */
    wasSent: () => wasSent,

    start: sendPlain(changingProcedures.domainCreate),
    /** By the guest agent if there is one, else by ACPI. */
    shutDown: sendPlain(changingProcedures.domainShutdown),
    destroy: sendPlain(changingProcedures.domainDestroy),
    reset: sendWithFlags(changingProcedures.domainReset),
    suspend: sendPlain(changingProcedures.domainSuspend),
    resume: sendPlain(changingProcedures.domainResume),
    wakeUp: sendWithFlags(changingProcedures.domainPmWakeup),
    undefine: sendWithFlags(changingProcedures.domainUndefineFlags),

    setVcpus: (domain: DomainHandle, count: number, flags: number) =>
      send(changingProcedures.domainSetVcpusFlags, (writer) =>
        writeDomainHandle(writer, domain).uint(count).uint(flags),
      ),
    /** In KiB. */
    setMemory: (domain: DomainHandle, size: number, flags: number) =>
      send(changingProcedures.domainSetMemoryFlags, (writer) =>
        writeDomainHandle(writer, domain).hyper(BigInt(size)).uint(flags),
      ),
    rename: (domain: DomainHandle, name: string) =>
      send(
        changingProcedures.domainRename,
        (writer) =>
          writeDomainHandle(writer, domain)
            .optional(name, (text) => writer.string(text))
            .uint(0),
        (reader) => reader.int(),
      ),
    deleteVolume: (volume: VolumeHandle) =>
      send(changingProcedures.storageVolDelete, (writer) =>
        writeVolumeHandle(writer, volume).uint(0),
      ),
  }
}
export type Changes = ReturnType<typeof createChanges>
