import { derivedId } from '../../domain/sources/derived-id.ts'
import type { ReportedDevice } from '../../domain/sources/reported-parts.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  numberOf,
  textOf,
  type XmlElement,
} from '../shared/parse-xml.ts'

/** A host device that is passed through to a domain. */
interface Passed {
  readonly kind: 'pci' | 'usb' | 'mdev'
  /** Its name in libvirt's list of host devices. */
  readonly nodeDevice: string
  readonly addr: string
  /** From the domain's XML only. */
  readonly vendorDevice: string
  readonly type: string
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
const part = (element: XmlElement | undefined, name: string) => numberOf(attributeOf(element, name))

function pciOf(address: XmlElement | undefined, type: string): Passed[] {
  if (!address) return []
  const [domain, bus] = [part(address, 'domain'), hex(part(address, 'bus'), 2)]
  const [slot, fn] = [hex(part(address, 'slot'), 2), part(address, 'function')]
  return [
    {
      kind: 'pci',
      nodeDevice: `pci_${hex(domain, 4)}_${bus}_${slot}_${fn}`,
      addr: `${domain === 0 ? '' : `${hex(domain, 4)}:`}${bus}:${slot}.${fn}`,
      vendorDevice: '',
      type,
    },
  ]
}

function usbOf(source: XmlElement | undefined): Passed[] {
  const [vendor, product] = ['vendor', 'product'].map((name) => part(childOf(source, name), 'id'))
  const address = childOf(source, 'address')
  const vendorDevice = vendor && product ? `${hex(vendor, 4)}:${hex(product, 4)}` : ''
  const addr = address ? `${part(address, 'bus')}:${part(address, 'device')}` : ''
  return [{ kind: 'usb', nodeDevice: '', addr, vendorDevice, type: 'USB' }]
}

/** The passed-through devices of a domain, without SCSI disks. */
export function passedDevices(devices: XmlElement | undefined): readonly Passed[] {
  const found = childrenOf(devices, 'hostdev').flatMap((hostdev): Passed[] => {
    const source = childOf(hostdev, 'source')
    const type = attributeOf(hostdev, 'type')
    if (type === 'pci') return pciOf(childOf(source, 'address'), 'PCI')
    if (type === 'usb') return usbOf(source)
    if (type !== 'mdev') return []
    const uuid = attributeOf(childOf(source, 'address'), 'uuid')
    const nodeDevice = `mdev_${uuid.replaceAll('-', '_')}`
    return [{ kind: 'mdev', nodeDevice, addr: uuid, vendorDevice: '', type: 'PCI' }]
  })
  const adapters = childrenOf(devices, 'interface')
    .filter((nic) => attributeOf(nic, 'type') === 'hostdev')
    .flatMap((nic) => pciOf(childOf(nic, 'source', 'address'), 'NIC'))
  const drives = childrenOf(devices, 'disk')
    .filter((disk) => attributeOf(disk, 'type') === 'nvme')
    .flatMap((disk) => pciOf(childOf(disk, 'source', 'address'), 'NVME-PT'))
  return [...found, ...adapters, ...drives]
}

const graphics = /^(?:nvidia|grid|i915|amdgpu|gvt)/i

/** By the PCI class. */
function typeOf(passed: Passed, node: XmlElement | undefined): string {
  const capability = childOf(node, 'capability')
  if (passed.kind === 'mdev') {
    return graphics.test(attributeOf(childOf(capability, 'type'), 'id')) ? 'GPU' : passed.type
  }
  const deviceClass = textOf(capability, 'class')
  if (deviceClass.startsWith('0x03')) return 'GPU'
  if (deviceClass.startsWith('0x0108')) return 'NVME-PT'
  return deviceClass.startsWith('0x02') ? 'NIC' : passed.type
}

function vendorDeviceOf(node: XmlElement | undefined): string {
  const capability = childOf(node, 'capability')
  const [vendor, product] = ['vendor', 'product'].map((name) =>
    attributeOf(childOf(capability, name), 'id').replace(/^0x/, ''),
  )
  return vendor && product ? `${vendor}:${product}` : ''
}

export interface DeviceCircumstances {
  readonly uuid: string
  /** The host's descriptions of its devices by name. */
  readonly nodeDevices: ReadonlyMap<string, XmlElement>
}

export function devicesOf(
  devices: XmlElement | undefined,
  { uuid, nodeDevices }: DeviceCircumstances,
): ReportedDevice[] {
  return passedDevices(devices).map((passed, index) => {
    const node = nodeDevices.get(passed.nodeDevice)
    const capability = childOf(node, 'capability')
    const dev_type = typeOf(passed, node)
    const vendorDevice = passed.vendorDevice === '' ? vendorDeviceOf(node) : passed.vendorDevice
    return {
      id: derivedId('libvirt device', uuid, passed.kind, passed.addr, vendorDevice, String(index)),
      description: textOf(capability, 'vendor'),
      dev_type,
      model:
        passed.kind === 'mdev'
          ? attributeOf(childOf(capability, 'type'), 'id')
          : textOf(capability, 'product'),
      addr: passed.addr,
      vendor_device_id: vendorDevice,
    }
  })
}
