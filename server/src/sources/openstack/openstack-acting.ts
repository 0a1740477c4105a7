import { sourceActions, type ActionSupport } from '../../domain/sources/action-port.ts'
import { resizedStatus } from './status.ts'

const memberRights = `openstack role add --user muster --domain default --inherited member`

const roleRights = `openstack role create server_operator
openstack implied role create --implied-role reader server_operator
openstack role add --user muster --domain default --inherited server_operator`

/** The rules of Nova for the requests that Muster sends, and no more. */
const rules = [
  'servers:start',
  'servers:stop',
  'servers:reboot',
  'servers:resize',
  'servers:confirm_resize',
  'servers:update',
  'servers:delete',
  'os-suspend-server:suspend',
  'os-suspend-server:resume',
  'os-pause-server:unpause',
  'os-shelve:unshelve',
  'os-lock-server:lock',
  'os-lock-server:unlock',
  'os-volumes-attachments:update',
]

const policyRights = [
  "'may_operate': 'rule:admin_api or project_id:%(project_id)s and (role:member or role:server_operator)'",
  ...rules.map((rule) => `'os_compute_api:${rule}': 'rule:may_operate'`),
].join('\n')

export const openstackActing: ActionSupport = {
  actions: sourceActions,
  restarts: true,
  switchesOff: true,
  // Nova also resizes a running server, but shuts it down for it. That needs the consent of `force_stop`.
  resize: { fields: ['instance_type'], isLive: false, confirmedStatus: resizedStatus },
  updates: ['name', 'disable_delete'],
  deletes: { disks: true, snapshots: false, running: true },
  rights: [
    { title: 'Act on the servers of all projects of a domain', text: memberRights },
    { title: 'Or a role for acting on servers only', text: roleRights },
    { title: 'Its rules, in policy.yaml of Nova', text: policyRights },
  ],
  async open(...given) {
    // Loaded only when Muster acts.
    const { openOpenStackActor } = await import('./open-openstack-actor.ts')
    return await openOpenStackActor(...given)
  },
}
