import {
  sourceActions,
  type ActionSupport,
  type SourceAction,
} from '../../domain/sources/action-port.ts'

/** The privileges that each action needs. */
export const privileges = {
  start: ['VirtualMachine.Interact.PowerOn'],
  stop: ['VirtualMachine.Interact.PowerOff'],
  restart: ['VirtualMachine.Interact.Reset'],
  reset: ['VirtualMachine.Interact.Reset'],
  suspend: ['VirtualMachine.Interact.Suspend'],
  resume: ['VirtualMachine.Interact.PowerOn'],
  'change-config': ['VirtualMachine.Config.CPUCount', 'VirtualMachine.Config.Memory'],
  update: ['VirtualMachine.Config.Rename'],
  delete: [
    'VirtualMachine.Config.RemoveDisk',
    'VirtualMachine.Interact.PowerOff',
    'VirtualMachine.Inventory.Delete',
    'VirtualMachine.Inventory.Unregister',
    'VirtualMachine.State.RemoveSnapshot',
  ],
} satisfies Record<SourceAction, readonly string[]>

const ids = [...new Set(Object.values(privileges).flat())].sort()

const govc = `govc role.create Muster ${ids.join(' ')}
govc permissions.set -principal muster@vsphere.local -role Muster -propagate=true /`

const powerCli = `New-VIRole -Name Muster -Privilege (Get-VIPrivilege -Id ${ids.join(',')})
New-VIPermission -Entity (Get-Folder -NoRecursion) -Principal 'VSPHERE.LOCAL\\muster' -Role Muster -Propagate $true`

export const vsphereActing: ActionSupport = {
  actions: sourceActions,
  restarts: true,
  // Hot add is a setting of each virtual machine, and cannot reduce a size.
  resize: { fields: ['vcpu_count', 'vmem_size'], isLive: false },
  updates: ['name'],
  deletes: { disks: true, snapshots: true, running: true },
  rights: [
    { title: 'Role to change servers, instead of Read-only, with govc', text: govc },
    { title: 'Role to change servers, instead of Read-only, with PowerCLI', text: powerCli },
  ],
  async open(...given) {
    const { openVSphereActor } = await import('./open-vsphere-actor.ts')
    return await openVSphereActor(...given)
  },
}
