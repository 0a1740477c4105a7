import { ActionError, type ServerSize } from '../../domain/sources/action-port.ts'
import { attributeOf, childOf, numberOf, parseXml, textOf } from '../shared/parse-xml.ts'
import type { Calls } from './calls.ts'
import type { Changes } from './changes.ts'
import { errorCodes, resizeFlags, xmlFlags } from './protocol.ts'
import { LibvirtError, type DomainHandle } from './records.ts'

const { config, maximum } = resizeFlags

/** A maximum above the current number is for CPUs that are plugged in later, so it stays. */
async function setVcpus(
  { calls, changes }: { readonly calls: Calls; readonly changes: Changes },
  domain: DomainHandle,
  count: number,
): Promise<void> {
  const xml = await calls.domainXml(domain, xmlFlags.inactive)
  if (xml === undefined) throw new ActionError('not-found', 'libvirt no longer has the domain.')
  const vcpu = childOf(parseXml(xml), 'vcpu')
  const most = numberOf(textOf(vcpu)) || 1
  const isWhole = (numberOf(attributeOf(vcpu, 'current')) || most) === most
  if (isWhole || count > most) await changes.setVcpus(domain, count, config | maximum)
  await changes.setVcpus(domain, count, config)
}

/** Changes the configuration of a stopped domain: Muster shows what a running one has now. */
export async function resizeDomain(
  means: { readonly calls: Calls; readonly changes: Changes },
  domain: DomainHandle,
  { vcpu_count, vmem_size }: ServerSize,
): Promise<void> {
  if (domain.id !== -1) {
    throw new ActionError('conflict', 'The domain runs. Stop it to change its CPUs or memory.')
  }
  try {
    if (vmem_size !== undefined) {
      const size = vmem_size * 1_024
      await means.changes.setMemory(domain, size, config | maximum)
      await means.changes.setMemory(domain, size, config)
    }
    if (vcpu_count !== undefined) await setVcpus(means, domain, vcpu_count)
  } catch (error) {
    // For a stopped domain it is about its definition, such as NUMA nodes, and no matter of time.
    const isDefinition = error instanceof LibvirtError && error.code === errorCodes.operationInvalid
    if (isDefinition) throw new ActionError('unsupported', error.message, { cause: error })
    throw error
  }
}
