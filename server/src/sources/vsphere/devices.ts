import type { ReportedDevice } from '../../domain/sources/reported-parts.ts'
import { childOf, textOf } from '../shared/parse-xml.ts'
import type { Device, Machine } from './machine.ts'

const nvidia = '10de'

/** Ids are signed 16-bit numbers, or hexadecimal text. */
function hexOf(id: string): string {
  if (id === '') return ''
  const number = /^-?\d+$/.test(id) ? Number(id) & 0xffff : Number.parseInt(id, 16)
  return Number.isNaN(number) ? '' : number.toString(16).padStart(4, '0')
}

function describe({ element, label }: Device): ReportedDevice {
  const backing = childOf(element, 'backing')
  const profile = textOf(backing, 'vgpu')
  const ids = ['vendorId', 'deviceId'].map((name) => hexOf(textOf(backing, name)))
  return {
    name: label,
    dev_type: profile !== '' || ids[0] === nvidia ? 'GPU' : 'PCI',
    model: profile || textOf(backing, 'deviceName') || label,
    addr: textOf(backing, 'id').replace(/^0000:/, ''),
    vendor_device_id: ids.every((id) => id !== '') ? ids.join(':') : '',
  }
}

/** Devices of the host that are passed through to the virtual machine, and virtual GPUs. */
export const passedDevices = ({ devices }: Machine): ReportedDevice[] =>
  devices.filter(({ type }) => type === 'VirtualPCIPassthrough').map(describe)
