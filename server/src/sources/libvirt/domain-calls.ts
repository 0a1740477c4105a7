import { control, longestList, procedures, stats, statsWithoutWaiting } from './protocol.ts'
import {
  encodeUuid,
  everything,
  readCounted,
  readDomainHandle,
  readParameters,
  writeDomainHandle,
  type DomainHandle,
  type TypedParameters,
} from './records.ts'
import type { CallLibvirt } from './rpc-client.ts'
import { unlessGone, unlessUnsupported } from './tolerated-errors.ts'

/** Calls about domains, which are servers. */
export const createDomainCalls = (call: CallLibvirt) => ({
  domains: (flags = everything): Promise<DomainHandle[]> =>
    call({
      procedure: procedures.connectListAllDomains,
      write: (writer) => writer.int(1).uint(flags),
      read: (reader) => readCounted(reader, longestList, () => readDomainHandle(reader)),
    }),

  domainByUuid: (uuid: string) =>
    unlessGone(
      call({
        procedure: procedures.domainLookupByUuid,
        write: (writer) => writer.fixed(encodeUuid(uuid)),
        read: (reader) => readDomainHandle(reader),
      }),
    ),

  domainXml: (domain: DomainHandle, flags = 0) =>
    unlessGone(
      call({
        procedure: procedures.domainGetXmlDesc,
        write: (writer) => writeDomainHandle(writer, domain).uint(flags),
        read: (reader) => reader.string(),
      }),
    ),

  domainState: (domain: DomainHandle) =>
    call({
      procedure: procedures.domainGetState,
      write: (writer) => writeDomainHandle(writer, domain).uint(0),
      read: (reader) => ({ state: reader.int(), reason: reader.int() }),
    }),

  /** Whether the daemon works on the domain at this moment; undefined if it does not tell. */
  async isBusy(domain: DomainHandle): Promise<boolean | undefined> {
    if (domain.id === -1) return false
    return await unlessUnsupported(
      call({
        procedure: procedures.domainGetControlInfo,
        write: (writer) => writeDomainHandle(writer, domain).uint(0),
        read(reader) {
          const [state, details] = [reader.uint(), reader.uint()]
          reader.hyper()
          if (state === control.error) return details === control.internalError
          return state === control.job || state === control.occupied
        },
      }),
    )
  },

  /** Whether the domain disappears when it stops. */
  async isTransient(domain: DomainHandle): Promise<boolean> {
    const isPersistent = await unlessGone(
      call({
        procedure: procedures.domainIsPersistent,
        write: (writer) => writeDomainHandle(writer, domain),
        read: (reader) => reader.int() === 1,
      }),
    )
    return isPersistent === false
  },

  /** Unlike the others, this call blocks while the guest is busy. */
  blockCapacity: (domain: DomainHandle, target: string) =>
    call({
      procedure: procedures.domainGetBlockInfo,
      write: (writer) => writeDomainHandle(writer, domain).string(target).uint(0),
      read(reader) {
        reader.hyper()
        const capacity = Number(BigInt.asUintN(64, reader.hyper()))
        reader.hyper()
        return capacity
      },
    }),

  /** State and disks of these domains by UUID, without those that are gone. */
  async stats(domains: readonly DomainHandle[]): Promise<ReadonlyMap<string, TypedParameters>> {
    const records = await call({
      procedure: procedures.connectGetAllDomainStats,
      write: (writer) =>
        writer
          .array(domains, (domain) => writeDomainHandle(writer, domain))
          .uint(stats.state | stats.block)
          .uint(statsWithoutWaiting),
      read: (reader) =>
        reader.array(
          longestList,
          () => [readDomainHandle(reader).uuid, readParameters(reader)] as const,
        ),
    })
    return new Map(records)
  },
})
