import type { EC2, InstanceBlockDeviceMapping } from '@aws-sdk/client-ec2'
import {
  ActionError,
  type ServerUpdate,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { RegionClient } from './region-client.ts'
import { UnknownInstance } from './response-error.ts'

/** A request of the SDK. */
export type Ec2Request = (ec2: EC2, options: { abortSignal: AbortSignal }) => Promise<unknown>

/** An instance, and how to read it. */
interface ReadInstance {
  readonly id: string
  readonly client: RegionClient
  readonly signal: AbortSignal
}

const unsupported = (message: string) => new ActionError('unsupported', message)
const modify = (data: NonNullable<SourceRequest['data']>): SourceRequest => ({
  name: 'ModifyInstanceAttribute',
  data,
})

const shutdownBehaviors: ReadonlySet<string> = new Set(['stop', 'terminate'])

/** One request per field: EC2 changes one attribute at a time. */
function updateRequests(changes: ServerUpdate): readonly SourceRequest[] {
  const { name, shutdown_behavior: behavior, disable_delete: isProtected, ...others } = changes
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw unsupported(`EC2 cannot change ${unknown}.`)
  if (behavior !== undefined && !shutdownBehaviors.has(behavior)) {
    throw unsupported(
      `EC2 does not support the shutdown_behavior ${JSON.stringify(behavior)}: use stop or terminate.`,
    )
  }
  return [
    ...(name === undefined ? [] : [{ name: 'CreateTags', data: { Name: name } }]),
    ...(behavior === undefined ? [] : [modify({ InstanceInitiatedShutdownBehavior: behavior })]),
    ...(isProtected === undefined ? [] : [modify({ DisableApiTermination: isProtected })]),
  ]
}

async function readInstance({ id, client, signal }: ReadInstance) {
  const { Reservations = [] } = await client
    .call((ec2, options) => ec2.describeInstances({ InstanceIds: [id] }, options), signal)
    .catch((error: unknown) => {
      if (!(error instanceof UnknownInstance)) throw error
      throw new ActionError('not-found', `EC2 does not have the instance ${id}.`, { cause: error })
    })
  const found = Reservations.flatMap(({ Instances = [] }) => Instances).find(
    ({ InstanceId }) => InstanceId === id,
  )
  // Terminating without knowing the volumes could delete them.
  if (!found) throw new SourceError('invalid-response', `EC2 did not describe ${id}.`)
  return found
}

/** The volumes that only this instance uses and no other instance can attach. */
async function ownVolumes(
  { id, client, signal }: ReadInstance,
  attached: readonly string[],
): Promise<ReadonlySet<string>> {
  const Filters = [{ Name: 'attachment.instance-id', Values: [id] }]
  const { Volumes = [] } = await client.call(
    (ec2, options) => ec2.describeVolumes({ Filters }, options),
    signal,
  )
  const described = new Set(Volumes.map(({ VolumeId }) => VolumeId))
  const unknown = attached.find((volume) => !described.has(volume))
  // If the volume were kept without notice, it would cost money and hold data that should be deleted.
  if (unknown !== undefined)
    throw new SourceError('invalid-response', `EC2 did not describe ${unknown} of ${id}.`)
  const own = Volumes.filter(
    ({ MultiAttachEnabled, Attachments = [] }) =>
      MultiAttachEnabled !== true && Attachments.every(({ InstanceId }) => InstanceId === id),
  )
  return new Set(own.flatMap(({ VolumeId }) => VolumeId ?? []))
}

/**
 * Tells EC2 which volumes to delete with the instance. By default EC2 deletes the root volume and keeps the
 * others.
 */
async function volumeRequests(instance: ReadInstance, areDeleted: boolean) {
  const { BlockDeviceMappings = [] } = await readInstance(instance)
  const attached = BlockDeviceMappings.flatMap(({ Ebs }) => Ebs?.VolumeId ?? [])
  const deleted = areDeleted ? await ownVolumes(instance, attached) : new Set<string>()
  return BlockDeviceMappings.flatMap(({ DeviceName, Ebs }: InstanceBlockDeviceMapping) => {
    const { VolumeId: target = '' } = Ebs ?? {}
    const DeleteOnTermination = deleted.has(target)
    if (!Ebs || !DeviceName || Ebs.DeleteOnTermination === DeleteOnTermination) return []
    return [{ ...modify({ DeviceName, DeleteOnTermination }), target }]
  })
}

/** The requests that are left for a call. */
export async function planRequests(
  call: SourceCall,
  instance: ReadInstance,
): Promise<readonly SourceRequest[]> {
  switch (call.kind) {
    case 'start':
      return [{ name: 'StartInstances' }]
    case 'stop':
      return [{ name: 'StopInstances', data: { Force: call.isForced } }]
    case 'restart':
      // EC2 switches the instance off and on if the guest does not react within minutes.
      return [{ name: 'RebootInstances' }]
    case 'delete':
      return [...(await volumeRequests(instance, call.disks)), { name: 'TerminateInstances' }]
    case 'resize': {
      const { instance_type: InstanceType, ...others } = call.size
      if (InstanceType === undefined || Object.keys(others).length > 0)
        throw unsupported('EC2 changes the size of an instance by its instance_type only.')
      return [modify({ InstanceType })]
    }
    case 'update': {
      const left: SourceRequest[] = []
      for (const request of updateRequests(call.changes))
        if ((await isDone(request, instance)) !== true) left.push(request)
      return left
    }
    case 'reset':
    case 'suspend':
    case 'resume':
    case 'confirm-resize':
      throw unsupported(`EC2 has no ${call.kind}.`)
  }
}

/** A stored request as one of the SDK. */
export function toEc2Request({ name, data = {} }: SourceRequest, id: string): Ec2Request {
  const ids = { InstanceIds: [id] }
  switch (name) {
    case 'StartInstances':
      return (ec2, options) => ec2.startInstances(ids, options)
    case 'StopInstances':
      return (ec2, options) => ec2.stopInstances({ ...ids, Force: data['Force'] === true }, options)
    case 'RebootInstances':
      return (ec2, options) => ec2.rebootInstances(ids, options)
    case 'TerminateInstances':
      return (ec2, options) => ec2.terminateInstances(ids, options)
    case 'CreateTags': {
      const Tags = [{ Key: 'Name', Value: String(data['Name']) }]
      return (ec2, options) => ec2.createTags({ Resources: [id], Tags }, options)
    }
    case 'ModifyInstanceAttribute': {
      const attribute = attributeOf(data)
      return (ec2, options) =>
        ec2.modifyInstanceAttribute({ InstanceId: id, ...attribute }, options)
    }
    default:
      throw unsupported(`EC2 has no request ${name}.`)
  }
}

function attributeOf(data: NonNullable<SourceRequest['data']>) {
  const { InstanceType, InstanceInitiatedShutdownBehavior: behavior, DeviceName } = data
  if (InstanceType !== undefined) return { InstanceType: { Value: String(InstanceType) } }
  if (behavior !== undefined)
    return { Attribute: 'instanceInitiatedShutdownBehavior', Value: String(behavior) } as const
  if (DeviceName !== undefined) {
    const Ebs = { DeleteOnTermination: data['DeleteOnTermination'] === true }
    return { BlockDeviceMappings: [{ DeviceName: String(DeviceName), Ebs }] }
  }
  return { DisableApiTermination: { Value: data['DisableApiTermination'] === true } }
}

/** Whether EC2 shows what a request changes; undefined for what only the state of the instance shows. */
export async function isDone(
  { name, target, data = {} }: SourceRequest,
  instance: ReadInstance,
): Promise<boolean | undefined> {
  if (name === 'CreateTags') {
    const { Tags = [] } = await readInstance(instance)
    return Tags.some(({ Key, Value }) => Key === 'Name' && Value === data['Name'])
  }
  if (name !== 'ModifyInstanceAttribute') return undefined
  if (target !== undefined) {
    const { BlockDeviceMappings = [] } = await readInstance(instance)
    const found = BlockDeviceMappings.find(({ Ebs }) => Ebs?.VolumeId === target)
    return found && found.Ebs?.DeleteOnTermination === data['DeleteOnTermination']
  }
  const { InstanceType, InstanceInitiatedShutdownBehavior: behavior } = data
  if (InstanceType !== undefined)
    return (await readInstance(instance)).InstanceType === InstanceType
  const { id, client, signal } = instance
  const Attribute =
    behavior === undefined ? 'disableApiTermination' : 'instanceInitiatedShutdownBehavior'
  const shown = await client
    .call(
      (ec2, options) => ec2.describeInstanceAttribute({ InstanceId: id, Attribute }, options),
      signal,
    )
    .catch((error: unknown) => {
      // The permission is optional.
      if (error instanceof SourceError && error.kind === 'forbidden') return undefined
      throw error
    })
  if (!shown) return undefined
  return behavior === undefined
    ? shown.DisableApiTermination?.Value === data['DisableApiTermination']
    : shown.InstanceInitiatedShutdownBehavior?.Value === behavior
}
