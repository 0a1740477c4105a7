import {
  ActionError,
  type ServerSize,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { attributeOf, childOf, numberOf, parseXml, textOf } from '../shared/parse-xml.ts'
import type { Calls } from './calls.ts'
import { volumeOf } from './changes.ts'
import { findDeletableVolumes } from './deletable-volumes.ts'
import { resizeFlags, undefineFlags, xmlFlags } from './protocol.ts'
import type { DomainHandle } from './records.ts'
import { isSleeping } from './status.ts'

const { config, maximum } = resizeFlags
/** The versions of libvirt that brought these flags. */
const since = { checkpoints: 5_006_000, tpm: 8_009_000 } as const

/** What is deleted with the domain. Without its disks, also its NVRAM and TPM state stay. */
async function flagsFor(calls: Calls, disks: boolean): Promise<number> {
  const version = await calls.libraryVersion()
  const { managedSave, snapshotsMetadata, checkpointsMetadata } = undefineFlags
  const nvram = disks ? undefineFlags.nvram : undefineFlags.keepNvram
  const tpm = disks ? undefineFlags.tpm : undefineFlags.keepTpm
  return (
    managedSave |
    snapshotsMetadata |
    nvram |
    (version >= since.checkpoints ? checkpointsMetadata : 0) |
    (version >= since.tpm ? tpm : 0)
  )
}

/**
 * Switches a domain off and deletes it. The definition goes last: while libvirt has the domain, the deletion is not
 * complete and can be continued.
 */
async function deletion(calls: Calls, domain: DomainHandle, disks: boolean) {
  const isTransient = await calls.isTransient(domain)
  const flags = await flagsFor(calls, disks)
  const volumes = disks ? await findDeletableVolumes(calls, domain) : []
  return [
    ...(domain.id === -1 ? [] : [{ name: 'virDomainDestroy' }]),
    ...volumes.map(({ key: target, pool, name }) => ({
      name: 'virStorageVolDelete',
      target,
      data: { pool, name },
    })),
    ...(isTransient ? [] : [{ name: 'virDomainUndefineFlags', data: { flags } }]),
  ]
}

/** CPUs and memory of the next start; the memory in KiB. */
async function readSize(calls: Calls, domain: DomainHandle) {
  const xml = await calls.domainXml(domain, xmlFlags.inactive)
  if (xml === undefined) throw new ActionError('not-found', 'libvirt no longer has the domain.')
  const root = parseXml(xml)
  const vcpu = childOf(root, 'vcpu')
  const maxCpus = numberOf(textOf(vcpu)) || 1
  const maxMemory = numberOf(textOf(root, 'memory'))
  return {
    maxCpus,
    cpus: numberOf(attributeOf(vcpu, 'current')) || maxCpus,
    maxMemory,
    memory: numberOf(textOf(root, 'currentMemory')) || maxMemory,
  }
}

/** Changes the configuration of a stopped domain: Muster shows what a running one has now. */
async function resize(calls: Calls, domain: DomainHandle, { vcpu_count, vmem_size }: ServerSize) {
  if (domain.id !== -1) {
    throw new ActionError('conflict', 'The domain runs. Stop it to change its CPUs or memory.')
  }
  const { cpus, maxCpus, memory, maxMemory } = await readSize(calls, domain)
  const requests: SourceRequest[] = []
  const kib = (vmem_size ?? 0) * 1_024
  const setMemory = (flags: number) =>
    requests.push({ name: 'virDomainSetMemoryFlags', data: { kib, flags } })
  if (vmem_size !== undefined && maxMemory !== kib) setMemory(config | maximum)
  if (vmem_size !== undefined && (memory !== kib || maxMemory !== kib)) setMemory(config)
  const count = vcpu_count ?? cpus
  const setCpus = (flags: number) =>
    requests.push({ name: 'virDomainSetVcpusFlags', data: { count, flags } })
  // A maximum above the current number is for CPUs that are plugged in later, so it stays.
  const changesMaximum = count !== maxCpus && (cpus === maxCpus || count > maxCpus)
  if (changesMaximum) setCpus(config | maximum)
  if (changesMaximum || count !== cpus) setCpus(config)
  return requests
}

/** The requests that are left for a call. */
export async function planRequests(
  call: SourceCall,
  domain: DomainHandle,
  calls: Calls,
): Promise<readonly SourceRequest[]> {
  switch (call.kind) {
    case 'start':
      return [{ name: 'virDomainCreate' }]
    case 'stop':
      return [{ name: call.isForced ? 'virDomainDestroy' : 'virDomainShutdown' }]
    case 'reset':
      return [{ name: 'virDomainReset' }]
    case 'suspend':
      return [{ name: 'virDomainSuspend' }]
    case 'resume': {
      const { state } = await calls.domainState(domain)
      return [{ name: isSleeping(state) ? 'virDomainPMWakeup' : 'virDomainResume' }]
    }
    case 'resize':
      return await resize(calls, domain, call.size)
    case 'update': {
      const { name } = call.changes
      const isNamed = name === undefined || name === domain.name
      return isNamed ? [] : [{ name: 'virDomainRename', data: { name } }]
    }
    case 'delete':
      return await deletion(calls, domain, call.disks)
    case 'restart':
    case 'confirm-resize':
      throw new ActionError('unsupported', `libvirt cannot ${call.kind} a domain.`)
  }
}

/** Whether libvirt shows what a request changes; undefined for what only the state shows. */
export async function isDone(
  request: SourceRequest,
  domain: DomainHandle | undefined,
  calls: Calls,
): Promise<boolean | undefined> {
  const { name, data = {} } = request
  if (name === 'virStorageVolDelete')
    return (await calls.volumeXml(volumeOf(request))) === undefined
  if (name === 'virDomainUndefineFlags') return domain === undefined
  if (name === 'virDomainDestroy') return domain === undefined || domain.id === -1
  if (!domain) return undefined
  const isMaximum = (Number(data['flags']) & maximum) !== 0
  switch (name) {
    case 'virDomainRename':
      return domain.name === data['name']
    case 'virDomainSetMemoryFlags': {
      const { maxMemory, memory } = await readSize(calls, domain)
      return (isMaximum ? maxMemory : memory) === data['kib']
    }
    case 'virDomainSetVcpusFlags': {
      const { maxCpus, cpus } = await readSize(calls, domain)
      return (isMaximum ? maxCpus : cpus) === data['count']
    }
    default:
      return undefined
  }
}
