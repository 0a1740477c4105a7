import { sourceActions, type ActionSupport } from '../../domain/sources/action-port.ts'

const projectRights = `# No further permission is needed: a certificate that reads the instances of a project may also
# change them. To let Muster act in some projects only, restrict its certificate to these:
incus config trust list   # shows the fingerprint of the certificate
incus config trust edit FINGERPRINT   # set "restricted: true" and list the projects
# With LXD: "lxc config trust list" and "lxc config trust edit FINGERPRINT".
`

/** What Muster can do with instances. */
export const incusActing: ActionSupport = {
  actions: sourceActions,
  // Muster stops and starts the instance: it can force the stop if the guest does not react in time.
  restarts: false,
  resize: { fields: ['vcpu_count', 'vmem_size'], isLive: true },
  updates: ['name', 'disable_delete'],
  deletes: { disks: true, snapshots: true, running: true },
  rights: [{ title: 'Projects in which Muster may act', text: projectRights }],
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openIncusActor } = await import('./open-incus-actor.ts')
    return await openIncusActor(...given)
  },
}
