import type { FaultySource } from './matrix.ts'
import { startFaultyEc2 } from './ec2.ts'
import { startFaultyIncus } from './incus.ts'
import { startFaultyLibvirt } from './libvirt.ts'
import { startFaultyOpenStack } from './openstack.ts'
import { startFaultyVSphere } from './vsphere.ts'

/** The sources of the matrix. The samples have requests of each sort, and each fault. */
export const sources: readonly FaultySource[] = [
  {
    name: 'EC2',
    start: startFaultyEc2,
    copies: 6,
    sample: [
      'scan, DescribeRegions, 500',
      'scan, DescribeInstances, 503',
      'scan, DescribeInstances, half list',
      'scan, DescribeInstances, Muster killed',
      'stop, StopInstances, answer lost',
      'stop, StopInstances, 500',
      'stop, StopInstances, 401',
    ],
  },
  {
    name: 'vSphere',
    start: startFaultyVSphere,
    copies: 6,
    sample: [
      'scan, RetrievePropertiesEx VirtualMachine, half list',
      'scan, RetrievePropertiesEx VirtualMachine, garbage',
      'suspend, FindAllByUuid, reset before the request',
      'suspend, SuspendVM_Task, answer lost',
      'suspend, SuspendVM_Task, 429',
    ],
  },
  {
    name: 'libvirt',
    start: startFaultyLibvirt,
    copies: 3,
    sample: [
      'scan, connectListAllDomains, empty list',
      'scan, connectListAllDomains, half list',
      'scan, connectListAllDomains, back end restarted',
      'suspend, domainSuspend, cut',
      'suspend, domainSuspend, 500',
    ],
  },
  {
    name: 'Incus',
    start: startFaultyIncus,
    copies: 3,
    sample: [
      'scan, GET /1.0/instances recursion=1, half list',
      'scan, GET /1.0/instances recursion=1, connection refused',
      // Not a start: on a busy machine the kernel may refuse it.
      'suspend, PUT /1.0/instances/{name}/state freeze, no answer',
      'suspend, PUT /1.0/instances/{name}/state freeze, Muster killed',
    ],
  },
  {
    name: 'LXD',
    start: (lifetime) => startFaultyIncus(lifetime, 'lxd'),
    copies: 3,
    sample: [],
  },
  {
    name: 'OpenStack',
    start: startFaultyOpenStack,
    copies: 2,
    sample: ['scan, GET /v2.1/servers/detail, 500', 'scan, GET /v2.0/ports, 500'],
  },
]
