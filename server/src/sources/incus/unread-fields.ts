import type { DetailField } from '../../domain/sources/source.ts'
import type { Instance } from './instance.ts'
import { networkKey, type Lookups } from './lookups.ts'
import { volumeKey } from './storage.ts'

const ofMember = ['host_status', 'host_service_status', 'zone', 'zone_ext_id'] as const

/** What comes from the resources of the host. */
function fieldsOfResources({ config, isVirtualMachine }: Instance): readonly DetailField[] {
  const { 'limits.cpu': cpu = '', 'limits.memory': memory = '' } = config
  const isOfHost = (limit: string) => limit === '' && !isVirtualMachine
  return [
    'host_sn',
    ...(isOfHost(cpu) ? (['vcpu_count'] as const) : []),
    ...(isOfHost(memory) || memory.endsWith('%') ? (['vmem_size'] as const) : []),
  ]
}

/** The fields of an instance that failed requests leave incomplete, or lists that were cut. */
export function unreadFields(
  instance: Instance,
  memberName: string,
  { networks, networkProjects, volumes, problems: { unread } }: Lookups,
): readonly DetailField[] {
  if (unread.size === 0) return []
  const { project, devices } = instance
  const fields = new Set<DetailField>()
  const add = (names: readonly DetailField[]) => names.forEach((name) => fields.add(name))
  if (unread.has('members')) add(ofMember)
  if (unread.has('members') || unread.has(`resources ${memberName}`))
    add(fieldsOfResources(instance))
  const owner = networkProjects.get(project) ?? 'default'
  for (const [, { type, network = '', pool = '', source = '' }] of devices) {
    const isOfNetwork = type === 'nic' && network !== ''
    if (isOfNetwork && unread.has(`networks ${owner}`) && !networks.has(networkKey(owner, network)))
      add(['nics'])
    if (type !== 'disk' || pool === '') continue
    if (unread.has(`pool ${pool}`)) add(['disks_info'])
    const lacksVolume = source !== '' && !volumes.has(volumeKey(pool, project, source))
    // Only the volume tells whether it is a CD.
    if (lacksVolume && unread.has(`volumes ${pool}/${project}`)) add(['disks_info', 'cdrom'])
  }
  return [...fields]
}
