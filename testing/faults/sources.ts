import type { FaultySource } from './matrix.ts'
import { startFaultyEc2 } from './ec2.ts'
import { startFaultyVSphere } from './vsphere.ts'

/** The sources of the matrix. The samples have one request of each sort, and each fault at least once. */
export const sources: readonly FaultySource[] = [
  {
    name: 'EC2',
    start: startFaultyEc2,
    sample: [
      'scan, DescribeRegions, 500',
      'scan, DescribeInstances, back end restarted',
      'scan, DescribeInstances, Muster killed',
      'stop, StopInstances, answer lost',
      'stop, StopInstances, cut',
    ],
  },
  {
    name: 'vSphere',
    start: startFaultyVSphere,
    sample: [
      'scan, RetrievePropertiesEx VirtualMachine, half list',
      'suspend, FindAllByUuid, 401',
      'suspend, SuspendVM_Task, answer lost',
    ],
  },
]
