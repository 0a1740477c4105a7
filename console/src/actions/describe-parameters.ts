import type { TaskParameters } from '@muster/contract'
import type { Format } from '../messages/format.ts'
import type { Messages } from '../messages/en/index.ts'

/** The parameters of an action: labels as in its dialog, and values. */
export function describeParameters(
  { actions: t, server, common }: Messages,
  { number, size }: Pick<Format, 'number' | 'size'>,
  parameters: TaskParameters,
): readonly (readonly [label: string, value: string])[] {
  const labels: Readonly<Record<string, string>> = {
    is_force: t.force,
    timeout_secs: t.timeout,
    override_pending_delete: t.skipBin,
    delete_disks: t.deleteDisks,
    delete_snapshots: t.deleteSnapshots,
    vcpu_count: server.vcpu,
    vmem_size: server.memory,
    instance_type: server.instanceType,
    force_stop: t.forceStop,
    name: server.name,
    description: server.description,
    boot_order: server.bootOrder,
    shutdown_behavior: server.shutdown,
    disable_delete: server.deleteProtection,
  }
  return Object.entries(parameters).map(([name, value]) => {
    const label = labels[name] ?? name
    if (typeof value === 'boolean') return [label, value ? common.yes : common.no]
    if (typeof value === 'string') return [label, value]
    return [label, name === 'vmem_size' ? size(value) : number(value)]
  })
}
