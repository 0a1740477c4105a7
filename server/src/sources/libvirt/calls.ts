import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceContext } from '../../domain/sources/source.ts'
import {
  control,
  errorCodes,
  longestList,
  longestName,
  nameOfProcedure,
  procedures,
  stats,
  statsWithoutWaiting,
  type Procedure,
} from './protocol.ts'
import {
  encodeUuid,
  LibvirtError,
  readDomainHandle,
  readNamedHandle,
  readParameters,
  readVolumeHandle,
  writeDomainHandle,
  writeNamedHandle,
  writeVolumeHandle,
  type DomainHandle,
  type NamedHandle,
  type TypedParameters,
  type VolumeHandle,
} from './records.ts'
import { namingCall } from '../shared/naming-call.ts'
import { parseXml } from '../shared/parse-xml.ts'
import type { RpcClient } from './rpc-client.ts'
import type { XdrReader } from './xdr.ts'

export interface Lease {
  readonly mac: string
  readonly address: string
  readonly prefix: number
  readonly isIpv6: boolean
  /** Used only to find the newest lease. */
  readonly expiry: bigint
}

/** The CPUs and the memory of the host. */
export interface NodeInfo {
  readonly cpus: number
  /** In KiB. */
  readonly memory: number
}

const maxLeases = 65_536
/** A text of 32 characters, each in four bytes. */
const nodeModelBytes = 128
/** The frequency, and the numbers of NUMA nodes, sockets, cores and threads. */
const nodeTopologyBytes = 20
const everything = 0
/** Of a network, pool or filter. A message of the longest one has fewer characters. */
const descriptionLimits = { maxLength: 2 ** 18, maxElements: 20_000 }

/** Undefined if libvirt says that the domain or volume does not exist. */
export async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    const { noDomain, noStorageVolume } = errorCodes
    const isGone =
      error instanceof LibvirtError && (error.code === noDomain || error.code === noStorageVolume)
    if (isGone) return undefined
    throw error
  }
}

/** Undefined if libvirt answers with an error. For details that are not important. */
export async function ifPossible<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof LibvirtError) return undefined
    throw error
  }
}

/** The driver or the call does not exist, or what it is about was deleted since. */
const lasting: ReadonlySet<number> = new Set([
  errorCodes.noSupport,
  errorCodes.invalidArgument,
  errorCodes.noNetwork,
  errorCodes.noStoragePool,
  errorCodes.operationInvalid,
  errorCodes.noNwfilter,
  errorCodes.configUnsupported,
  errorCodes.argumentUnsupported,
  errorCodes.operationUnsupported,
])
/** The daemon is older than the call, or the daemon of a driver is not installed. */
const notInstalled = /unknown procedure|virt\w+d-sock(-ro)?': No such file/i

/** Undefined if this libvirt does not have the call. Other errors are thrown. */
export async function unlessAbsent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    const isLasting =
      error instanceof LibvirtError && (lasting.has(error.code) || notInstalled.test(error.message))
    if (isLasting) return undefined
    throw error
  }
}

/**
 * Undefined if this libvirt does not have or allow the call. Other errors may be temporary, so they are
 * thrown.
 */
export async function unlessUnsupported<Answer>(
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await unlessAbsent(answer)
  } catch (error) {
    if (error instanceof LibvirtError && error.kind === 'forbidden') return undefined
    throw error
  }
}

/** Reads a list and its count, which must agree. */
function readCounted<Item>(reader: XdrReader, most: number, read: () => Item): Item[] {
  const items = reader.array(most, read)
  const count = reader.uint()
  if (count !== items.length) {
    throw new SourceError(
      'incomplete',
      `libvirt listed ${items.length} domains but counted ${count}.`,
    )
  }
  return items
}

function readLease(reader: XdrReader): Lease {
  const readName = () => reader.string(longestName)
  readName()
  const expiry = reader.hyper()
  const isIpv6 = reader.int() === 1
  const mac = reader.optional(readName) ?? ''
  reader.optional(readName)
  const address = readName()
  const prefix = reader.uint()
  reader.optional(readName)
  reader.optional(readName)
  return { mac: mac.toLowerCase(), address, prefix, isIpv6, expiry }
}

/** The libvirt calls that Muster uses, under the caller's rate limit. */
export function createCalls(
  rpc: RpcClient,
  signal: AbortSignal,
  throttle: SourceContext['throttle'],
) {
  const client: Pick<RpcClient, 'call'> = {
    async call(call, until) {
      await throttle()
      return await namingCall(nameOfProcedure(call.procedure), () => rpc.call(call, until))
    },
  }
  /** Whether the connection is open and the signal is not aborted. */
  const canContinue = () => !signal.aborted && rpc.failure() === undefined
  const callVersion = (procedure: Procedure) =>
    client.call({ procedure, read: (reader) => Number(reader.hyper()) }, signal)

  const callList = (procedure: Procedure, flags = everything) =>
    client.call(
      {
        procedure,
        write: (writer) => writer.int(1).uint(flags),
        read: (reader) => readCounted(reader, longestList, () => readNamedHandle(reader)),
      },
      signal,
    )

  /**
   * The description of a network, pool or filter. Its text is not kept in memory, because there may be many.
   */
  const callXml = (procedure: Procedure, thing: NamedHandle) =>
    client.call(
      {
        procedure,
        write: (writer) => writeNamedHandle(writer, thing).uint(0),
        read: (reader) => parseXml(reader.string(), descriptionLimits),
      },
      signal,
    )

  return {
    canContinue,
    /** Throws the error again if the connection caused it, and not the object of one call. */
    async requireConnection(error: unknown): Promise<void> {
      if (!canContinue()) throw error
      // If this is not answered either, the daemon hangs.
      const isLate = error instanceof SourceError && error.kind === 'timeout'
      if (isLate) await callVersion(procedures.connectGetLibVersion)
    },

    hostname: () =>
      client.call(
        {
          procedure: procedures.connectGetHostname,
          read: (reader) => reader.string(longestName),
        },
        signal,
      ),
    capabilities: () =>
      client.call(
        { procedure: procedures.connectGetCapabilities, read: (reader) => reader.string() },
        signal,
      ),
    sysinfo: () =>
      client.call(
        {
          procedure: procedures.connectGetSysinfo,
          write: (writer) => writer.uint(0),
          read: (reader) => reader.string(),
        },
        signal,
      ),
    nodeInfo: (): Promise<NodeInfo> =>
      client.call(
        {
          procedure: procedures.nodeGetInfo,
          read(reader) {
            reader.fixed(nodeModelBytes)
            const memory = Number(BigInt.asUintN(64, reader.hyper()))
            const cpus = reader.int()
            reader.fixed(nodeTopologyBytes)
            return { memory, cpus }
          },
        },
        signal,
      ),
    libraryVersion: () => callVersion(procedures.connectGetLibVersion),
    hypervisorVersion: () => callVersion(procedures.connectGetVersion),

    networks: (flags?: number) => callList(procedures.connectListAllNetworks, flags),
    networkXml: (network: NamedHandle) => callXml(procedures.networkGetXmlDesc, network),
    pools: (flags?: number) => callList(procedures.connectListAllStoragePools, flags),
    poolXml: (pool: NamedHandle) => callXml(procedures.storagePoolGetXmlDesc, pool),
    volumes: (pool: NamedHandle): Promise<VolumeHandle[]> =>
      client.call(
        {
          procedure: procedures.storagePoolListAllVolumes,
          write: (writer) => writeNamedHandle(writer, pool).int(1).uint(everything),
          read: (reader) => readCounted(reader, longestList, () => readVolumeHandle(reader)),
        },
        signal,
      ),
    volumeXml: (volume: VolumeHandle) =>
      unlessGone(
        client.call(
          {
            procedure: procedures.storageVolGetXmlDesc,
            write: (writer) => writeVolumeHandle(writer, volume).uint(0),
            read: (reader) => reader.string(),
          },
          signal,
        ),
      ),
    filters: () => callList(procedures.connectListAllNwfilters),
    filterXml: (filter: NamedHandle) => callXml(procedures.nwfilterGetXmlDesc, filter),

    leases: (network: NamedHandle): Promise<Lease[]> =>
      client.call(
        {
          procedure: procedures.networkGetDhcpLeases,
          write: (writer) => writeNamedHandle(writer, network).uint(0).int(1).uint(0),
          read: (reader) => readCounted(reader, maxLeases, () => readLease(reader)),
        },
        signal,
      ),

    nodeDeviceXml: (name: string) =>
      client.call(
        {
          procedure: procedures.nodeDeviceGetXmlDesc,
          write: (writer) => writer.string(name).uint(0),
          read: (reader) => reader.string(),
        },
        signal,
      ),

    domains: (flags = everything): Promise<DomainHandle[]> =>
      client.call(
        {
          procedure: procedures.connectListAllDomains,
          write: (writer) => writer.int(1).uint(flags),
          read: (reader) => readCounted(reader, longestList, () => readDomainHandle(reader)),
        },
        signal,
      ),

    domainByUuid: (uuid: string) =>
      unlessGone(
        client.call(
          {
            procedure: procedures.domainLookupByUuid,
            write: (writer) => writer.fixed(encodeUuid(uuid)),
            read: (reader) => readDomainHandle(reader),
          },
          signal,
        ),
      ),

    domainXml: (domain: DomainHandle, flags = 0) =>
      unlessGone(
        client.call(
          {
            procedure: procedures.domainGetXmlDesc,
            write: (writer) => writeDomainHandle(writer, domain).uint(flags),
            read: (reader) => reader.string(),
          },
          signal,
        ),
      ),

    domainState: (domain: DomainHandle) =>
      client.call(
        {
          procedure: procedures.domainGetState,
          write: (writer) => writeDomainHandle(writer, domain).uint(0),
          read: (reader) => ({ state: reader.int(), reason: reader.int() }),
        },
        signal,
      ),

    /** Whether the daemon works on the domain at this moment; undefined if it does not tell. */
    async isBusy(domain: DomainHandle): Promise<boolean | undefined> {
      if (domain.id === -1) return false
      return await unlessUnsupported(
        client.call(
          {
            procedure: procedures.domainGetControlInfo,
            write: (writer) => writeDomainHandle(writer, domain).uint(0),
            read(reader) {
              const [state, details] = [reader.uint(), reader.uint()]
              reader.hyper()
              if (state === control.error) return details === control.internalError
              return state === control.job || state === control.occupied
            },
          },
          signal,
        ),
      )
    },

    /** Whether the domain disappears when it stops. */
    async isTransient(domain: DomainHandle): Promise<boolean> {
      const isPersistent = await unlessGone(
        client.call(
          {
            procedure: procedures.domainIsPersistent,
            write: (writer) => writeDomainHandle(writer, domain),
            read: (reader) => reader.int() === 1,
          },
          signal,
        ),
      )
      return isPersistent === false
    },

    /** Unlike the others, this call blocks while the guest is busy. */
    blockCapacity: (domain: DomainHandle, target: string) =>
      client.call(
        {
          procedure: procedures.domainGetBlockInfo,
          write: (writer) => writeDomainHandle(writer, domain).string(target).uint(0),
          read(reader) {
            reader.hyper()
            const capacity = Number(BigInt.asUintN(64, reader.hyper()))
            reader.hyper()
            return capacity
          },
        },
        signal,
      ),

    /** State and disks of these domains by UUID, without those that are gone. */
    async stats(domains: readonly DomainHandle[]): Promise<ReadonlyMap<string, TypedParameters>> {
      const records = await client.call(
        {
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
        },
        signal,
      )
      return new Map(records)
    },
  }
}
export type Calls = ReturnType<typeof createCalls>
