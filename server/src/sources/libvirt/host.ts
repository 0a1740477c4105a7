import type { Calls } from './calls.ts'
import { ifPossible } from './tolerated-errors.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  parseXml,
  textOf,
  type XmlElement,
} from '../shared/parse-xml.ts'

/** The host of the libvirt daemon. Unknown texts are empty, unknown numbers 0. */
export interface Host {
  readonly name: string
  readonly uuid: string
  readonly serial: string
  /** The version of libvirt, such as `9.0.0`. */
  readonly version: string
  /** The version of QEMU, such as `7.2.0`. */
  readonly hypervisorVersion: string
  readonly cpuCount: number
  readonly cpuModel: string
  /** In MB. */
  readonly memory: number
}

/** Placeholders of manufacturers instead of a serial number or a CPU model. */
const placeholder =
  /^(?:not specified|none|default string|to be filled by o\.e\.m\.|system serial number|0+)$/i

/** The first entry of this name in the part `system` or `processor` of the SMBIOS information. */
function readEntry(sysinfo: XmlElement | undefined, part: string, name: string): string {
  const entry = childrenOf(childOf(sysinfo, part), 'entry').find(
    (one) => attributeOf(one, 'name') === name,
  )
  const text = textOf(entry)
  return placeholder.test(text) ? '' : text
}

const readVersion = (version: number) =>
  [Math.floor(version / 1_000_000), Math.floor(version / 1_000) % 1_000, version % 1_000].join('.')

export async function readHost(calls: Calls): Promise<Host> {
  const [name, version, capabilitiesXml, sysinfoXml, node, hypervisorVersion] = await Promise.all([
    calls.hostname(),
    calls.libraryVersion(),
    calls.capabilities(),
    ifPossible(calls.sysinfo()),
    ifPossible(calls.nodeInfo()),
    ifPossible(calls.hypervisorVersion()),
  ])
  const capabilities = parseXml(capabilitiesXml)
  const sysinfo = sysinfoXml === undefined ? undefined : parseXml(sysinfoXml)
  return {
    name,
    version: readVersion(version),
    hypervisorVersion: hypervisorVersion === undefined ? '' : readVersion(hypervisorVersion),
    uuid: textOf(capabilities, 'host', 'uuid'),
    serial: readEntry(sysinfo, 'system', 'serial'),
    cpuCount: node?.cpus ?? 0,
    cpuModel:
      readEntry(sysinfo, 'processor', 'version') || textOf(capabilities, 'host', 'cpu', 'model'),
    memory: Math.floor((node?.memory ?? 0) / 1_024),
  }
}
