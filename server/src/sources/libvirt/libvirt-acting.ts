import { sourceActions, type ActionSupport } from '../../domain/sources/action-port.ts'

const polkitRights = `// On the host: /etc/polkit-1/rules.d/50-muster.rules, for the user that runs Muster.
// The group libvirt has the same effect. It lets the user change everything in libvirt.
polkit.addRule(function (action, subject) {
  if (action.id == 'org.libvirt.unix.manage' && subject.user == 'muster') {
    return polkit.Result.YES
  }
})
`

const socketRights = `# In libvirtd.conf of the hypervisor, without polkit: the group of the socket may change everything.
# On hosts with modular daemons the file is virtproxyd.conf. The socket that systemd opens
# needs SocketGroup=libvirt and SocketMode=0660 in its unit instead.
unix_sock_group = "libvirt"
unix_sock_rw_perms = "0770"
auth_unix_rw = "none"
`

/** What Muster can do with domains. */
export const libvirtActing: ActionSupport = {
  actions: sourceActions,
  // A reboot leaves the state "running", so nothing would confirm it. Muster stops and starts the domain.
  restarts: false,
  resize: { fields: ['vcpu_count', 'vmem_size'], isLive: false },
  updates: ['name'],
  deletes: { disks: true, snapshots: false, running: true },
  rights: [
    { title: 'polkit rule for the local socket', text: polkitRights },
    { title: 'Local socket without polkit', text: socketRights },
  ],
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openLibvirtActor } = await import('./open-libvirt-actor.ts')
    return await openLibvirtActor(...given)
  },
}
