import { ifPossible, type Calls } from './calls.ts'
import { attributeOf, childOf, childrenOf, parseXml, textOf } from './parse-xml.ts'

/** The host of the libvirt daemon. */
export interface Host {
  readonly name: string
  readonly uuid: string
  readonly serial: string
  /** The version of libvirt, such as `9.0.0`. */
  readonly version: string
}

/** Placeholders of manufacturers instead of a serial number. */
const noSerial =
  /^(?:not specified|none|default string|to be filled by o\.e\.m\.|system serial number|0+)$/i

function readSerial(sysinfo: string | undefined): string {
  if (sysinfo === undefined) return ''
  const serial = childrenOf(childOf(parseXml(sysinfo), 'system'), 'entry').find(
    (entry) => attributeOf(entry, 'name') === 'serial',
  )
  const text = textOf(serial)
  return noSerial.test(text) ? '' : text
}

const readVersion = (version: number) =>
  [Math.floor(version / 1_000_000), Math.floor(version / 1_000) % 1_000, version % 1_000].join('.')

export async function readHost(calls: Calls): Promise<Host> {
  const [name, version, capabilities, sysinfo] = await Promise.all([
    calls.hostname(),
    calls.libraryVersion(),
    calls.capabilities(),
    ifPossible(calls.sysinfo()),
  ])
  return {
    name,
    version: readVersion(version),
    uuid: textOf(parseXml(capabilities), 'host', 'uuid'),
    serial: readSerial(sysinfo),
  }
}
