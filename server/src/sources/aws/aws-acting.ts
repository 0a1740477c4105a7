import type { ActionSupport } from '../../domain/sources/action-port.ts'

const actions = [
  'CreateTags',
  'ModifyInstanceAttribute',
  'RebootInstances',
  'StartInstances',
  'StopInstances',
  'TerminateInstances',
].map((name) => `ec2:${name}`)

const policy = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
}

/** EC2 has neither suspend nor reset. Hibernation needs to be enabled when an instance is launched. */
export const awsActing: ActionSupport = {
  actions: ['start', 'stop', 'restart', 'change-config', 'update', 'delete'],
  restarts: true,
  resize: { fields: ['instance_type'], isLive: false },
  updates: ['name', 'shutdown_behavior', 'disable_delete'],
  deletes: { disks: true, snapshots: false, running: true },
  rights: [
    {
      title: 'Second IAM policy of the access key, to change servers',
      text: JSON.stringify(policy, undefined, 2),
    },
  ],
  async open(settings, context) {
    const { openAwsActor } = await import('./open-aws-actor.ts')
    return await openAwsActor(settings, context)
  },
}
