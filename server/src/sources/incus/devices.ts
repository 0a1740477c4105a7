import type { IsolatedDevice } from '@muster/contract'
import { derivedId } from '../../domain/sources/derived-id.ts'
import type { Instance } from './instance.ts'

const types: Readonly<Record<string, string>> = { gpu: 'GPU', pci: 'PCI', usb: 'USB' }

/** Addresses in the domain 0 are written without it. */
const shortAddress = (address: string) => address.toLowerCase().replace(/^0000:/, '')

/** The devices of the host that the instance uses. */
export function devicesOf(
  { devices }: Instance,
  serverId: string,
  hostId: string,
): IsolatedDevice[] {
  return devices.flatMap(([name, settings]): IsolatedDevice[] => {
    const dev_type = types[settings['type'] ?? '']
    if (dev_type === undefined) return []
    const { vendorid = '', productid = '', busnum, devnum } = settings
    const usbAddress = busnum === undefined ? '' : `${busnum}:${devnum ?? ''}`
    return [
      {
        id: derivedId('incus device', serverId, name),
        name,
        description: '',
        dev_type,
        model: settings['mdev'] ?? settings['mig.uuid'] ?? '',
        addr: shortAddress(settings['address'] ?? settings['pci'] ?? usbAddress),
        vendor_device_id: vendorid !== '' && productid !== '' ? `${vendorid}:${productid}` : '',
        guest_id: serverId,
        host_id: hostId,
        reserved_cpu: 0,
        reserved_memory: 0,
        reserved_storage: 0,
        created_at: null,
        updated_at: null,
        deleted_at: null,
        deleted: false,
        is_emulated: false,
        update_version: 0,
      },
    ]
  })
}
