import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EC2, Volume } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import { planRequests } from './action-requests.ts'
import type { RegionClient } from './region-client.ts'

const id = 'i-1'
const own = { VolumeId: 'vol-own', Attachments: [{ InstanceId: id }] }
const volumes = {
  own,
  elsewhere: { VolumeId: 'vol-two', Attachments: [{ InstanceId: id }, { InstanceId: 'i-2' }] },
  multiple: { VolumeId: 'vol-multiple', MultiAttachEnabled: true, Attachments: [] },
} satisfies Record<string, Volume>

/** Plans the deletion of an instance with these volumes, of which EC2 describes some. */
const planDeletion = (
  attached: readonly Volume[],
  described: readonly Volume[],
  disks: boolean,
  DeleteOnTermination: boolean,
) => {
  const BlockDeviceMappings = attached.map(({ VolumeId }) => ({
    DeviceName: `/dev/${VolumeId}`,
    Ebs: { VolumeId, DeleteOnTermination },
  }))
  const ec2 = {
    describeInstances: async () => ({
      Reservations: [{ Instances: [{ InstanceId: id, BlockDeviceMappings }] }],
    }),
    describeVolumes: async () => ({ Volumes: described }),
  } as unknown as EC2
  const client: RegionClient = {
    region: 'eu-west-1',
    call: (request, abortSignal) => request(ec2, { abortSignal }),
    close: () => {},
  }
  const { signal } = new AbortController()
  return planRequests({ kind: 'delete', disks, snapshots: false }, { id, client, signal })
}

for (const [name, volume] of Object.entries(volumes)) {
  for (const disks of [true, false]) {
    for (const isMarked of [true, false]) {
      test(`delete ${disks ? 'with' : 'without'} disks: volume ${name}, marked ${isMarked}`, async () => {
        const planned = await planDeletion([volume], [volume], disks, isMarked)
        const shouldMark = disks && name === 'own'
        const marks = planned.filter(({ name }) => name === 'ModifyInstanceAttribute')
        assert.deepEqual(
          marks.map(({ target, data }) => [target, data?.['DeleteOnTermination']]),
          isMarked === shouldMark ? [] : [[volume.VolumeId, shouldMark]],
        )
        assert.equal(planned.at(-1)?.name, 'TerminateInstances')
      })
    }
  }
}

for (const missing of Object.values(volumes)) {
  test(`a deletion with disks fails if EC2 does not describe ${missing.VolumeId}`, async () => {
    const attached = Object.values(volumes)
    const described = attached.filter((volume) => volume !== missing)
    await assert.rejects(
      planDeletion(attached, described, true, false),
      (error) => error instanceof SourceError && error.message.includes(missing.VolumeId),
    )
    // Without the disks, all volumes are kept anyway.
    assert.equal((await planDeletion(attached, described, false, true)).length, 4)
  })
}
