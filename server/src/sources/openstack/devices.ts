import type { ReportedDevice } from '../../domain/sources/reported-parts.ts'
import { objectOf, textOf, type Json } from '../shared/json.ts'

const gpuNames = /gpu|nvidia|tesla|quadro|radeon|\b[avhtl]\d{1,3}\b/i
const maxDevices = 64

/** Devices of a flavor: aliases of PCI devices such as `a100:2`, and virtual GPUs. */
function namesOf(flavor: Json): string[] {
  const specs = objectOf(flavor, 'extra_specs')
  const aliases = textOf(specs, 'pci_passthrough:alias').split(',')
  const virtual = textOf(specs, 'resources:VGPU')
  return [...aliases, virtual === '' ? '' : `vGPU:${virtual}`]
    .map((alias) => alias.trim())
    .filter((alias) => alias !== '')
    .flatMap((alias) => {
      const [name = '', count = '1'] = alias.split(':')
      return Array.from({ length: Math.min(Number(count) || 1, maxDevices) }, () => name)
    })
}

/** The passed-through devices of a server. Only the flavor lists them. */
export const devicesOf = (flavor: Json): ReportedDevice[] =>
  namesOf(flavor).map((model) => ({ dev_type: gpuNames.test(model) ? 'GPU' : 'PCI', model }))
