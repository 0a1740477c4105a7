import { ActionError } from '@muster/server/source-port'
import type { ReportedFacts, ServerSize } from '@muster/server/source-port'
import { sizeFacts } from './describe-server.ts'
import type { Site } from './sites.ts'

const [maxCores, maxMemory] = [512, 4_194_304]

/** The size of a server after a resize. A size that the cloud does not name has no instance type. */
export const createResizer =
  (seed: number, site: Pick<Site, 'account' | 'cloud'>) =>
  (wanted: ServerSize, facts: ReportedFacts) => {
    const sizes = [...site.cloud.sizes, ...site.cloud.gpuSizes]
    const { instance_type } = wanted
    const named = sizes.find(({ name }) => name === instance_type)
    if (instance_type !== undefined && !named) {
      const names = sizes.map(({ name }) => name).join(', ')
      throw new ActionError('unsupported', `No size is named ${instance_type}. Sizes: ${names}.`)
    }
    const cores = wanted.vcpu_count ?? named?.cores ?? facts.vcpu_count ?? 0
    const memory = wanted.vmem_size ?? named?.memory ?? facts.vmem_size ?? 0
    if (named && (named.cores !== cores || named.memory !== memory)) {
      throw new ActionError(
        'unsupported',
        `The size ${named.name} has ${named.cores} vCPUs and ${named.memory} MB.`,
      )
    }
    if (cores > maxCores || memory > maxMemory) {
      throw new ActionError(
        'quota',
        `A simulated server has at most ${maxCores} vCPUs and ${maxMemory} MB.`,
      )
    }
    const size = named ?? sizes.find((some) => some.cores === cores && some.memory === memory)
    const { cloudregion_id = '' } = facts
    if (size) return sizeFacts(seed, { ...site, cloudregion_id }, size)
    return {
      vcpu_count: cores,
      vmem_size: memory,
      instance_type: '',
      flavor_id: '',
      flavor_uuid: '',
    }
  }
