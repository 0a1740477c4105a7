import { chunk } from '../../domain/chunk.ts'
import {
  ActionError,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { childOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { createMachine, type Device } from './machine.ts'
import { readObjects } from './property-collector.ts'
import type { Api } from './session.ts'
import { refsOf, type ObjectRef } from './soap.ts'

export const devicesProperty = 'config.hardware.device'
/** Some 10 kB each. */
const machinesInPage = 50

const isDisk = ({ type }: Device) => type === 'VirtualDisk'

/** The file of a disk, and those of which it has only the differences. */
function filesOf({ element }: Device): readonly string[] {
  const files: string[] = []
  let backing: XmlElement | undefined = childOf(element, 'backing')
  for (; backing; backing = childOf(backing, 'parent')) files.push(textOf(backing, 'fileName'))
  return files.filter((file) => file !== '')
}

/** The files of disks of all other virtual machines on these datastores. */
async function filesOfOthers(api: Api, self: ObjectRef, datastores: readonly ObjectRef[]) {
  const stores = await readObjects(api, { Datastore: ['vm'] }, datastores)
  const ids = new Set(
    stores.flatMap(({ properties }) => refsOf(properties.get('vm')).map(({ id }) => id)),
  )
  ids.delete(self.id)
  const refs = [...ids].map((id) => ({ type: 'VirtualMachine', id }))
  const files = new Set<string>()
  for (const some of chunk(refs, machinesInPage)) {
    for (const content of await readObjects(api, { VirtualMachine: [devicesProperty] }, some)) {
      for (const disk of createMachine(content).devices.filter(isDisk))
        for (const file of filesOf(disk)) files.add(file)
    }
  }
  return files
}

/** Whether a disk is made to be used by several, or belongs to the storage of another system, such as Kubernetes. */
function isShareable({ element }: Device, devices: readonly Device[]): boolean {
  const controller = devices.find(({ key }) => key === textOf(element, 'controllerKey'))
  const bus = textOf(controller?.element, 'sharedBus')
  return (
    textOf(element, 'backing', 'sharing') === 'sharingMultiWriter' ||
    textOf(element, 'vDiskId', 'id') !== '' ||
    (bus !== '' && bus !== 'noSharing')
  )
}

/**
 * The requests that delete a virtual machine. Without its disks it is only removed from the inventory: its files stay,
 * also those of snapshots. With them, disks that others use are detached first.
 */
export async function planDeletion(
  api: Api,
  ref: ObjectRef,
  { disks, snapshots }: Extract<SourceCall, { kind: 'delete' }>,
): Promise<readonly SourceRequest[]> {
  const [content] = await readObjects(
    api,
    { VirtualMachine: ['runtime.powerState', 'snapshot', 'datastore', devicesProperty] },
    [ref],
  )
  if (!content) throw new ActionError('not-found', `${api.host} does not have ${ref.id}.`)
  const { properties } = content
  const hasSnapshots = properties.has('snapshot')
  if (disks && hasSnapshots && !snapshots) {
    throw new ActionError(
      'unsupported',
      'vSphere deletes snapshots with the disks: delete the snapshots too, or keep the disks.',
    )
  }
  const devices = disks ? createMachine(content).devices : []
  const others = disks ? await filesOfOthers(api, ref, refsOf(properties.get('datastore'))) : []
  const inUse = new Set(others)
  /** The files below it belong to another virtual machine, or to its own snapshots. */
  const ownFiles = (disk: Device) => (hasSnapshots ? filesOf(disk) : filesOf(disk).slice(0, 1))
  const kept = devices
    .filter(isDisk)
    .filter((disk) => isShareable(disk, devices) || ownFiles(disk).some((file) => inUse.has(file)))
  if (kept.length > 0 && hasSnapshots) {
    throw new ActionError(
      'unsupported',
      'It has snapshots, and a disk that another virtual machine can use: delete its snapshots first, or keep the disks.',
    )
  }
  const isOn = properties.get('runtime.powerState')?.text === 'poweredOn'
  const remove = kept.map(({ key }) => key).join(' ')
  return [
    ...(isOn ? [{ name: 'PowerOffVM_Task' }] : []),
    ...(remove === '' ? [] : [{ name: 'ReconfigVM_Task', target: remove, data: { remove } }]),
    ...(!disks && snapshots && hasSnapshots ? [{ name: 'RemoveAllSnapshots_Task' }] : []),
    { name: disks ? 'Destroy_Task' : 'UnregisterVM' },
  ]
}
