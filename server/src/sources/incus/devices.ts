import type { ReportedDevice } from '../../domain/sources/reported-parts.ts'
import type { Instance } from './instance.ts'

const types: ReadonlyMap<string, string> = new Map([
  ['gpu', 'GPU'],
  ['pci', 'PCI'],
  ['usb', 'USB'],
])

/** Addresses in the domain 0 are written without it. */
const shortAddress = (address: string) => address.toLowerCase().replace(/^0000:/, '')

/** The devices of the host that the instance uses. */
export function devicesOf({ devices }: Instance): ReportedDevice[] {
  return devices.flatMap(([name, settings]): ReportedDevice[] => {
    const dev_type = types.get(settings['type'] ?? '')
    if (dev_type === undefined) return []
    const { vendorid = '', productid = '', busnum, devnum = '' } = settings
    const usbAddress = busnum === undefined ? '' : `${busnum}:${devnum}`
    return [
      {
        name,
        dev_type,
        model: settings['mdev'] ?? settings['mig.uuid'] ?? '',
        addr: shortAddress(settings['address'] ?? settings['pci'] ?? usbAddress),
        vendor_device_id: vendorid !== '' && productid !== '' ? `${vendorid}:${productid}` : '',
      },
    ]
  })
}
