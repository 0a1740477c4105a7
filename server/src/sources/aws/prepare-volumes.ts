import { setTimeout as pause } from 'node:timers/promises'
import type { InstanceBlockDeviceMapping } from '@aws-sdk/client-ec2'
import { ActionError } from '../../domain/sources/action-port.ts'
import type { ActionClient } from './action-client.ts'

/** Milliseconds between two readings. */
const interval = 500

async function mappingsOf(
  { read }: ActionClient,
  id: string,
): Promise<readonly InstanceBlockDeviceMapping[]> {
  const { Reservations = [] } = await read((ec2, options) =>
    ec2.describeInstances({ InstanceIds: [id] }, options),
  )
  const found = Reservations.flatMap(({ Instances = [] }) => Instances).find(
    ({ InstanceId }) => InstanceId === id,
  )
  // Terminating without knowing the volumes could delete them.
  if (!found) throw new ActionError('failed', `EC2 did not describe ${id}: nothing was deleted.`)
  return found.BlockDeviceMappings ?? []
}

/** The volumes that only this instance uses, and that no other can attach. */
async function ownVolumes({ read }: ActionClient, id: string): Promise<ReadonlySet<string>> {
  const Filters = [{ Name: 'attachment.instance-id', Values: [id] }]
  const { Volumes = [] } = await read((ec2, options) => ec2.describeVolumes({ Filters }, options))
  const own = Volumes.filter(
    ({ MultiAttachEnabled, Attachments = [] }) =>
      MultiAttachEnabled !== true && Attachments.every(({ InstanceId }) => InstanceId === id),
  )
  return new Set(own.flatMap(({ VolumeId }) => VolumeId ?? []))
}

/**
 * Tells EC2 which volumes to delete with the instance, and waits until it shows that. By default EC2 deletes the root
 * volume and keeps the others.
 */
export async function prepareVolumes(
  client: ActionClient,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  areDeleted: boolean,
): Promise<void> {
  const deleted = areDeleted ? await ownVolumes(client, id) : new Set<string>()
  let isSent = false
  while (!signal.aborted) {
    const wrong = (await mappingsOf(client, id)).flatMap(({ DeviceName, Ebs }) => {
      const DeleteOnTermination = deleted.has(Ebs?.VolumeId ?? '')
      const isRight = Ebs === undefined || Ebs.DeleteOnTermination === DeleteOnTermination
      return isRight ? [] : [{ DeviceName, Ebs: { DeleteOnTermination } }]
    })
    if (wrong.length === 0) return
    if (isSent) await pause(interval, undefined, { signal }).catch(() => {})
    else {
      await client.change((ec2, options) =>
        ec2.modifyInstanceAttribute({ InstanceId: id, BlockDeviceMappings: wrong }, options),
      )
      isSent = true
    }
  }
  throw new ActionError(
    'failed',
    `EC2 does not show which volumes of ${id} are kept: nothing was deleted.`,
  )
}
