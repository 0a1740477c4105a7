import ipaddr from 'ipaddr.js'
import type { ReportedNic } from '../../domain/sources/reported-parts.ts'
import { childOf, childrenOf, numberOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { network, resourceId, type Entity, type Inventory } from './inventory.ts'
import type { Device, Machine } from './machine.ts'
import { refOf } from './soap.ts'

interface Address {
  readonly ip: string
  readonly mask: number
}

/** Link-local addresses do not identify a server. */
const isUseful = ({ ip }: Address) => ipaddr.isValid(ip) && ipaddr.parse(ip).range() !== 'linkLocal'

/** With masks if VMware Tools reports them. */
function addressesOf(guestNic: XmlElement | undefined): readonly Address[] {
  const configured = childrenOf(childOf(guestNic, 'ipConfig'), 'ipAddress').map((address) => ({
    ip: textOf(address, 'ipAddress'),
    mask: numberOf(textOf(address, 'prefixLength')),
  }))
  const plain = childrenOf(guestNic, 'ipAddress').map(({ text }) => ({ ip: text.trim(), mask: 0 }))
  return [...configured, ...plain].filter(isUseful)
}

/** A network adapter is the only device with a MAC address. */
const macOf = ({ element }: Device) => textOf(element, 'macAddress').toLowerCase()

/** The guest's view of an adapter, by its key in the configuration, else by MAC address. */
function guestNicOf(device: Device, guestNics: readonly XmlElement[]): XmlElement | undefined {
  return (
    guestNics.find((nic) => textOf(nic, 'deviceConfigId') === device.key) ??
    guestNics.find((nic) => textOf(nic, 'macAddress').toLowerCase() === macOf(device))
  )
}

/** A distributed port group is named by key, a standard network by reference. */
function networkIdOf({ element }: Device): string {
  const backing = childOf(element, 'backing')
  return textOf(backing, 'port', 'portgroupKey') || (refOf(childOf(backing, 'network'))?.id ?? '')
}

/** The networks that the adapters are connected to. */
export const networkIdsOf = ({ devices }: Machine): readonly string[] =>
  devices.filter((device) => macOf(device) !== '').map(networkIdOf)

function networkOf(device: Device, inventory: Inventory): Entity | undefined {
  const entity = inventory.get(networkIdOf(device))
  return entity && network.test(entity.ref.type) ? entity : undefined
}

export function nicsOf(machine: Machine, inventory: Inventory): ReportedNic[] {
  const guestNics = childrenOf(machine.value('guest.net'), 'GuestNicInfo')
  const adapters = machine.devices
    .filter((device) => macOf(device) !== '')
    .toSorted((one, other) => numberOf(one.key) - numberOf(other.key))
  const found = adapters.map((adapter) => addressesOf(guestNicOf(adapter, guestNics)))
  const hasAddress = found.some((addresses) => addresses.length > 0)
  // Old versions of VMware Tools report only the address of the server.
  const only = { ip: machine.text('guest.ipAddress'), mask: 0 }
  return adapters.map((adapter, index) => {
    const addresses = !hasAddress && index === 0 && isUseful(only) ? [only] : (found[index] ?? [])
    const four = addresses.find(({ ip }) => ipaddr.IPv4.isValid(ip))
    const six = addresses.find(({ ip }) => ipaddr.IPv6.isValid(ip))
    const entity = networkOf(adapter, inventory)
    return {
      ip_addr: four?.ip ?? '',
      ip6_addr: six?.ip ?? '',
      mask: four?.mask ?? 0,
      mac: macOf(adapter),
      network: entity?.name ?? textOf(adapter.element, 'backing', 'deviceName'),
      network_id: entity ? resourceId('network', inventory, entity.ref.id) : '',
    }
  })
}
