import { childOf, childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import type { Entity } from './inventory.ts'

interface HostStatus {
  readonly status: string
  readonly host_status: string
  /** Whether new servers may be placed on the host. */
  readonly enabled: boolean
}

export function hostStatusOf(host: Entity): HostStatus {
  const { texts } = host
  const isConnected = texts['runtime.connectionState'] === 'connected'
  const isMaintained = texts['runtime.inMaintenanceMode'] === 'true'
  const isOff = /^(?:poweredOff|standBy)$/.test(texts['runtime.powerState'] ?? '')
  const host_status = isConnected ? 'online' : 'offline'
  const enabled = isConnected && !isMaintained
  if (isOff) return { status: 'ready', host_status, enabled }
  if (!isConnected) return { status: 'unknown', host_status, enabled }
  return { status: isMaintained ? 'maintaining' : 'running', host_status, enabled }
}

/** Placeholders of manufacturers instead of a serial number. */
const placeholder = /^(?:unknown|not specified|none|default string|to be filled by o\.e\.m\.|0+)$/i

/** The serial number, or what the manufacturer uses instead, such as a service tag. */
export function serialOf(properties: ReadonlyMap<string, XmlElement>): string {
  const others = childrenOf(properties.get('summary.hardware'), 'otherIdentifyingInfo')
  const tagged = (key: RegExp) =>
    others
      .filter((info) => key.test(textOf(childOf(info, 'identifierType'), 'key')))
      .map((info) => textOf(info, 'identifierValue'))
  return (
    [
      textOf(properties.get('hardware.systemInfo'), 'serialNumber'),
      ...tagged(/^SerialNumberTag$/),
      ...tagged(/^ServiceTag$/),
    ].find((text) => text !== '' && !placeholder.test(text)) ?? ''
  )
}
