import { parseXml } from '../shared/parse-xml.ts'
import { longestList, longestName, procedures, type Procedure } from './protocol.ts'
import {
  everything,
  readCounted,
  readNamedHandle,
  readVolumeHandle,
  writeNamedHandle,
  writeVolumeHandle,
  type NamedHandle,
  type VolumeHandle,
} from './records.ts'
import type { CallLibvirt } from './rpc-client.ts'
import { unlessGone } from './tolerated-errors.ts'
import type { XdrReader } from './xdr.ts'

export interface Lease {
  readonly mac: string
  readonly address: string
  readonly prefix: number
  readonly isIpv6: boolean
  /** Used only to find the newest lease. */
  readonly expiry: bigint
}

const maxLeases = 65_536
/** Of a network, pool or filter. A message of the longest one has fewer characters. */
const descriptionLimits = { maxLength: 2 ** 18, maxElements: 20_000 }

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

/** Calls about networks, storage pools, filters and devices of the host. */
export function createResourceCalls(call: CallLibvirt) {
  const callList = (procedure: Procedure, flags = everything) =>
    call({
      procedure,
      write: (writer) => writer.int(1).uint(flags),
      read: (reader) => readCounted(reader, longestList, () => readNamedHandle(reader)),
    })

  /**
   * The description of a network, pool or filter. Its text is not kept in memory, because there may be many.
   */
  const callXml = (procedure: Procedure, thing: NamedHandle) =>
    call({
      procedure,
      write: (writer) => writeNamedHandle(writer, thing).uint(0),
      read: (reader) => parseXml(reader.string(), descriptionLimits),
    })

  return {
    networks: (flags?: number) => callList(procedures.connectListAllNetworks, flags),
    networkXml: (network: NamedHandle) => callXml(procedures.networkGetXmlDesc, network),
    pools: (flags?: number) => callList(procedures.connectListAllStoragePools, flags),
    poolXml: (pool: NamedHandle) => callXml(procedures.storagePoolGetXmlDesc, pool),
    volumes: (pool: NamedHandle): Promise<VolumeHandle[]> =>
      call({
        procedure: procedures.storagePoolListAllVolumes,
        write: (writer) => writeNamedHandle(writer, pool).int(1).uint(everything),
        read: (reader) => readCounted(reader, longestList, () => readVolumeHandle(reader)),
      }),
    volumeXml: (volume: VolumeHandle) =>
      unlessGone(
        call({
          procedure: procedures.storageVolGetXmlDesc,
          write: (writer) => writeVolumeHandle(writer, volume).uint(0),
          read: (reader) => reader.string(),
        }),
      ),
    filters: () => callList(procedures.connectListAllNwfilters),
    filterXml: (filter: NamedHandle) => callXml(procedures.nwfilterGetXmlDesc, filter),

    leases: (network: NamedHandle): Promise<Lease[]> =>
      call({
        procedure: procedures.networkGetDhcpLeases,
        write: (writer) => writeNamedHandle(writer, network).uint(0).int(1).uint(0),
        read: (reader) => readCounted(reader, maxLeases, () => readLease(reader)),
      }),

    nodeDeviceXml: (name: string) =>
      call({
        procedure: procedures.nodeDeviceGetXmlDesc,
        write: (writer) => writer.string(name).uint(0),
        read: (reader) => reader.string(),
      }),
  }
}
