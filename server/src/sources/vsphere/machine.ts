import { childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { decodeName } from './inventory.ts'
import type { ObjectContent } from './property-collector.ts'
import { refOf, typeOf, type ObjectRef } from './soap.ts'
import { noTags, type MachineTags } from './tags.ts'

/** Properties whose change is a change of the server. None is a counter or a load. */
export const machineProperties = [
  'name',
  'parent',
  'resourcePool',
  'customValue',
  'snapshot',
  'config.template',
  'config.instanceUuid',
  'config.uuid',
  'config.annotation',
  'config.guestId',
  'config.guestFullName',
  'config.firmware',
  'config.version',
  'config.createDate',
  'config.hardware.numCPU',
  'config.hardware.memoryMB',
  'config.hardware.device',
  'runtime.powerState',
  'runtime.connectionState',
  'runtime.host',
  'guest.hostName',
  'guest.ipAddress',
  'guest.net',
  'guest.guestFullName',
  'guest.guestFamily',
  'guest.toolsRunningStatus',
  'guest.toolsVersionStatus2',
  'summary.config.instanceUuid',
] as const
type MachineProperty = (typeof machineProperties)[number]

/** A virtual machine as vSphere describes it. */
export interface Machine {
  readonly ref: ObjectRef
  /** From the REST API. */
  readonly tags: MachineTags
  /** Values of custom attributes by key. */
  readonly attributes: ReadonlyMap<string, string>
  readonly devices: readonly Device[]
  /** Whether the user may not read some of its properties. */
  readonly isDenied: boolean
  value(property: MachineProperty): XmlElement | undefined
  text(property: MachineProperty): string
  refId(property: MachineProperty): string
}

/** A virtual device, such as a disk, a controller or a network adapter. */
export interface Device {
  /** Such as `VirtualDisk`. */
  readonly type: string
  readonly key: string
  readonly label: string
  readonly element: XmlElement
}

const devicesOf = (list: XmlElement | undefined): readonly Device[] =>
  childrenOf(list, 'VirtualDevice').map((element) => ({
    type: typeOf(element),
    key: textOf(element, 'key'),
    label: textOf(element, 'deviceInfo', 'label'),
    element,
  }))

export function createMachine(
  { ref, properties, isDenied }: ObjectContent,
  tags = noTags,
): Machine {
  return {
    ref,
    tags,
    isDenied,
    attributes: new Map(
      childrenOf(properties.get('customValue'), 'CustomFieldValue').map((value) => [
        textOf(value, 'key'),
        textOf(value, 'value'),
      ]),
    ),
    devices: devicesOf(properties.get('config.hardware.device')),
    value: (property) => properties.get(property),
    text: (property) => properties.get(property)?.text.trim() ?? '',
    refId: (property) => refOf(properties.get(property))?.id ?? '',
  }
}

export const nameOf = (machine: Machine): string =>
  decodeName(machine.value('name')?.text ?? '') || machine.ref.id

/** The id that stays when a virtual machine is registered again; '' if vSphere does not know it. */
export const uuidOf = (machine: Machine): string =>
  machine.text('config.instanceUuid') || machine.text('summary.config.instanceUuid')
