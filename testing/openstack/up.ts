import { parseArgs } from 'node:util'
import { startOpenStack } from './start.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

/** Keystone and Nova with a few servers, for a person to try an account of OpenStack with. */
const { values } = parseArgs({
  options: {
    compute: { type: 'boolean', default: false },
    servers: { type: 'string', default: '60' },
  },
})
const openstack = await startOpenStack({ compute: values.compute })
for (let number = 1; number <= 5; number += 1) {
  const project = number % 2 === 0 ? 'ops' : 'demo'
  const vm_state = number % 3 === 0 ? 'stopped' : 'active'
  await openstack.add({ name: `web-${number}`, project, vm_state, networks: 2, floating: true })
}
const server = await openstack.add({ name: 'copy' })
const copies = Number(values.servers) - 6
if (copies > 0) await openstack.order('copy', { server, count: copies })

process.stdout.write(`Keystone and Nova of Debian are up. Neutron, Cinder and Glance are stubs.

  address   ${openstack.authUrl}
  username  admin, with password admin-password and project admin: all projects and hosts
            demo or ops, with password demo-password or ops-password: their own project
  folder    ${openstack.folder} (logs and configuration)

Muster speaks to it only when started with --source-allow=127.0.0.1
Ctrl-C ends it, and nothing of it is left.
`)
stopOnSignal(() => openstack.stop())
