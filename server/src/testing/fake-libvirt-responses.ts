import {
  activeNetworksOnly,
  errorCodes,
  procedures,
  stats,
  transientOnly,
} from '../sources/libvirt/protocol.ts'
import {
  readDomainHandle,
  readNamedHandle,
  writeDomainHandle,
  writeNamedHandle,
  type NamedHandle,
} from '../sources/libvirt/records.ts'
import { createXdrWriter, type XdrReader, type XdrWriter } from '../sources/libvirt/xdr.ts'

export interface FakeDomain {
  readonly uuid: string
  readonly name: string
  /** The content of `<domain>`, besides its name and UUID. */
  readonly inside?: string
  /** Replaces the whole XML. */
  readonly xml?: string
  /** 1 is running, 5 is off. */
  readonly state?: number
  readonly isTransient?: boolean
  /** Bytes of disks, by target. */
  readonly capacities?: Readonly<Record<string, number>>
  /** What libvirt does instead of returning the XML. */
  readonly xmlFault?: 'silence' | 'failure'
  /** Its state cannot be read, nor that of any other domain in the same response. */
  readonly hasNoStats?: boolean
}

interface FakeThing extends NamedHandle {
  readonly xml: string
}

interface FakeLease {
  readonly mac: string
  readonly address: string
  readonly expiry: number
  readonly isIpv6?: boolean
}

/** The resources of a fake host besides domains. Its libvirt does not support those that are left out. */
export interface FakeHost {
  readonly uuid: string
  readonly serial?: string
  readonly cpuModel?: string
  readonly hardware?: { readonly cpus: number; readonly kibibytes: number }
  /** As libvirt counts: 7.2.1 is 7002001. */
  readonly hypervisorVersion?: number
  readonly networks?: readonly (FakeThing & {
    readonly leases: readonly FakeLease[]
    readonly isInactive?: boolean
  })[]
  readonly pools?: readonly FakeThing[]
  readonly filters?: readonly FakeThing[]
  /** Descriptions by name. */
  readonly nodeDevices?: Readonly<Record<string, string>>
}

export const notSupported = 3

/** An error response. */
export class FakeError extends Error {
  readonly code: number

  constructor(code: number, message = 'this libvirt cannot do that') {
    super(message)
    this.code = code
  }
}

/** No answer at all. */
export class FakeSilence extends Error {}

const fakeXml = ({ name, uuid, inside = '', xml }: FakeDomain): string =>
  xml ??
  `<domain type='kvm'><name>${name}</name><uuid>${uuid}</uuid><memory unit='MiB'>512</memory>
    <vcpu>1</vcpu><os><type arch='x86_64' machine='pc'>hvm</type></os>${inside}</domain>`

const handleOf = ({ name, uuid, state = 1 }: FakeDomain) => ({
  name,
  uuid,
  id: state === 5 ? -1 : 1,
})

function given<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new FakeError(notSupported)
  return thing
}

function writeStats(writer: XdrWriter, { state = 1, capacities = {} }: FakeDomain): void {
  const numbers: (readonly [string, number])[] = [
    ['state.state', state],
    ['state.reason', 1],
    ['block.count', Object.keys(capacities).length],
  ]
  const disks = Object.entries(capacities)
  writer.uint(numbers.length + disks.length * 2)
  for (const [name, value] of numbers) writer.string(name).int(1).int(value)
  for (const [index, [target, bytes]] of disks.entries()) {
    writer.string(`block.${index}.name`).int(7).string(target)
    writer.string(`block.${index}.capacity`).int(4).hyper(BigInt(bytes))
  }
}

export type Answer = (request: XdrReader, answer: XdrWriter) => unknown

/** The responses of a libvirt with these domains and this host, for the calls that Muster makes. */
export function createResponses(
  domains: ReadonlyMap<string, FakeDomain>,
  host: FakeHost,
): Record<number, Answer> {
  const findDomain = (uuid: string) => {
    const domain = domains.get(uuid)
    if (!domain) throw new FakeError(errorCodes.noDomain, 'Domain not found')
    return domain
  }
  const list =
    (things: readonly FakeThing[] | undefined): Answer =>
    (_, answer) => {
      const all = given(things)
      answer.array(all, (thing) => writeNamedHandle(answer, thing)).uint(all.length)
    }
  const describe =
    (things: readonly FakeThing[] | undefined): Answer =>
    (request, answer) => {
      const { name } = readNamedHandle(request)
      answer.string(given(given(things).find((thing) => thing.name === name)).xml)
    }
  let callbacks = 0

  return {
    [procedures.authList]: (_, answer) => answer.uint(1).int(0),
    [procedures.connectOpen]: () => {},
    [procedures.connectClose]: () => {},
    [procedures.connectGetHostname]: (_, answer) => answer.string('fake-host'),
    [procedures.connectGetLibVersion]: (_, answer) => answer.hyper(9_001_002n),
    [procedures.connectGetVersion]: (_, answer) =>
      answer.hyper(BigInt(given(host.hypervisorVersion))),
    [procedures.nodeGetInfo](_, answer) {
      const { cpus, kibibytes } = given(host.hardware)
      answer.fixed(Buffer.alloc(128)).hyper(BigInt(kibibytes)).int(cpus)
      for (const rest of [2_400, 1, 1, cpus, 1]) answer.int(rest)
    },
    [procedures.connectGetCapabilities]: (_, answer) =>
      answer.string(
        `<capabilities><host><uuid>${host.uuid}</uuid><cpu><model>${host.cpuModel ?? ''}</model></cpu></host></capabilities>`,
      ),
    [procedures.connectGetSysinfo]: (_, answer) =>
      answer.string(
        `<sysinfo type='smbios'><system><entry name='serial'>${given(host.serial)}</entry></system></sysinfo>`,
      ),
    [procedures.connectListAllDomains](request, answer) {
      request.int()
      const isPassing = request.uint() === transientOnly
      const all = [...domains.values()].filter(({ isTransient }) => !isPassing || isTransient)
      answer.array(all, (domain) => writeDomainHandle(answer, handleOf(domain))).uint(all.length)
    },
    [procedures.domainLookupByUuid](request, answer) {
      const hex = request.fixed(16).toString('hex')
      const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      writeDomainHandle(answer, handleOf(findDomain(uuid)))
    },
    [procedures.domainGetXmlDesc](request, answer) {
      const domain = findDomain(readDomainHandle(request).uuid)
      if (domain.xmlFault === 'silence') throw new FakeSilence()
      if (domain.xmlFault === 'failure') throw new FakeError(38, 'disk on fire')
      answer.string(fakeXml(domain))
    },
    [procedures.domainGetState](request, answer) {
      const { state = 1 } = findDomain(readDomainHandle(request).uuid)
      answer.int(state).int(1)
    },
    [procedures.domainIsPersistent]: (request, answer) =>
      answer.int(findDomain(readDomainHandle(request).uuid).isTransient === true ? 0 : 1),
    [procedures.domainGetBlockInfo](request, answer) {
      const { capacities = {} } = findDomain(readDomainHandle(request).uuid)
      answer
        .hyper(0n)
        .hyper(BigInt(given(capacities[request.string()])))
        .hyper(0n)
    },
    [procedures.connectGetAllDomainStats](request, answer) {
      const wanted = request.array(16_384, () => readDomainHandle(request).uuid)
      if ((request.uint() & stats.state) === 0) throw new FakeError(notSupported)
      const found = wanted.flatMap((uuid) => domains.get(uuid) ?? [])
      if (found.some(({ hasNoStats }) => hasNoStats)) throw new FakeError(1, 'too much to tell')
      answer.array(found, (domain) => {
        writeDomainHandle(answer, handleOf(domain))
        writeStats(answer, domain)
      })
    },
    [procedures.connectListAllNetworks](request, answer) {
      request.int()
      const isAll = request.uint() !== activeNetworksOnly
      list(host.networks?.filter(({ isInactive }) => isAll || isInactive !== true))(request, answer)
    },
    [procedures.networkGetXmlDesc]: describe(host.networks),
    [procedures.networkGetDhcpLeases](request, answer) {
      const { name } = readNamedHandle(request)
      const { leases } = given(given(host.networks).find((network) => network.name === name))
      answer
        .array(leases, ({ mac, address, expiry, isIpv6 = false }) =>
          answer
            .string('virbr0')
            .hyper(BigInt(expiry))
            .int(isIpv6 ? 1 : 0)
            .optional(mac, (text) => answer.string(text))
            .uint(0)
            .string(address)
            .uint(isIpv6 ? 64 : 24)
            .uint(0)
            .uint(0),
        )
        .uint(leases.length)
    },
    [procedures.connectListAllStoragePools]: list(host.pools),
    [procedures.storagePoolGetXmlDesc]: describe(host.pools),
    [procedures.connectListAllNwfilters]: list(host.filters),
    [procedures.nwfilterGetXmlDesc]: describe(host.filters),
    [procedures.nodeDeviceGetXmlDesc]: (request, answer) =>
      answer.string(given(host.nodeDevices?.[request.string()])),
    [procedures.domainEventRegister](_, answer) {
      callbacks += 1
      answer.int(callbacks)
    },
  }
}

/** The body of an error, as libvirt sends it. */
export function describeError({ code, message }: FakeError): Buffer {
  const writer = createXdrWriter().int(code).int(10)
  writer.optional(message, (text) => writer.string(text)).int(2)
  for (let part = 0; part < 7; part += 1) writer.uint(0)
  return writer.finish()
}
