import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EC2, ModifyInstanceAttributeCommandInput, Volume } from '@aws-sdk/client-ec2'
import { ActionError, type SourceCall } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { isDone, planRequests, toEc2Request } from './action-requests.ts'
import type { RegionClient } from './region-client.ts'
import { UnknownInstance } from './response-error.ts'

const id = 'i-1'
const { signal } = new AbortController()
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

/** The instances that use each volume, and whether others could. */
const attachments: Readonly<Record<string, { of: readonly string[]; isMulti: boolean }>> = {
  'vol-root': { of: [id], isMulti: false },
  'vol-own': { of: [id], isMulti: false },
  'vol-multi': { of: [id], isMulti: true },
  'vol-shared': { of: [id, 'i-2'], isMulti: false },
}

/** An EC2 with one instance, which does what it is asked. */
function createEc2({ isForbidden = false, isUnknown = false, isDescribed = true } = {}) {
  const sent: [string, object][] = []
  const instance = {
    InstanceId: id,
    InstanceType: 't3.micro',
    Tags: [
      { Key: 'Name', Value: 'old' },
      { Key: 'Team', Value: 'new' },
    ],
    BlockDeviceMappings: [
      ...Object.keys(attachments).map((VolumeId, number) => ({
        DeviceName: `/dev/sd${number}`,
        Ebs: { VolumeId, DeleteOnTermination: VolumeId === 'vol-root' },
      })),
      { DeviceName: '/dev/ephemeral' },
    ],
  }
  const attributes = {
    DisableApiTermination: { Value: false },
    InstanceInitiatedShutdownBehavior: { Value: 'stop' },
  }
  const note = (name: string) => async (input: object) => void sent.push([name, input])

  async function modifyInstanceAttribute(input: ModifyInstanceAttributeCommandInput) {
    await note('modifyInstanceAttribute')(input)
    assert.equal(input.InstanceId, id)
    if (input.InstanceType) instance.InstanceType = input.InstanceType.Value ?? ''
    if (input.DisableApiTermination)
      attributes.DisableApiTermination.Value = input.DisableApiTermination.Value === true
    if (input.Attribute === 'instanceInitiatedShutdownBehavior')
      attributes.InstanceInitiatedShutdownBehavior.Value = input.Value ?? ''
    for (const { DeviceName, Ebs } of input.BlockDeviceMappings ?? []) {
      const mapping = instance.BlockDeviceMappings.find((one) => one.DeviceName === DeviceName)
      assert.ok(mapping && 'Ebs' in mapping)
      mapping.Ebs.DeleteOnTermination = Ebs?.DeleteOnTermination === true
    }
  }

  const ec2 = {
    async describeInstances({ InstanceIds }: { InstanceIds: readonly string[] }) {
      assert.deepEqual(InstanceIds, [id])
      if (isUnknown) throw new UnknownInstance('no such instance', '')
      const other = { ...instance, InstanceId: 'i-2', Tags: [] }
      return { Reservations: [{ Instances: isDescribed ? [other, instance] : [other] }] }
    },
    async describeVolumes({ Filters }: { Filters: unknown }) {
      assert.deepEqual(Filters, [{ Name: 'attachment.instance-id', Values: [id] }])
      const Volumes = Object.entries(attachments).map(([VolumeId, { of, isMulti }]) => ({
        VolumeId,
        MultiAttachEnabled: isMulti,
        Attachments: of.map((InstanceId) => ({ InstanceId })),
      }))
      return { Volumes }
    },
    async describeInstanceAttribute({ Attribute }: { Attribute: string }) {
      if (isForbidden) throw new SourceError('forbidden', 'no permission')
      return Attribute === 'disableApiTermination'
        ? { DisableApiTermination: attributes.DisableApiTermination }
        : { InstanceInitiatedShutdownBehavior: attributes.InstanceInitiatedShutdownBehavior }
    },
    async createTags({ Resources, Tags }: { Resources: unknown; Tags: { Value: string }[] }) {
      await note('createTags')({ Resources, Tags })
      instance.Tags = [{ Key: 'Name', Value: Tags[0]?.Value ?? '' }]
    },
    modifyInstanceAttribute,
    startInstances: note('startInstances'),
    stopInstances: note('stopInstances'),
    rebootInstances: note('rebootInstances'),
    terminateInstances: note('terminateInstances'),
  }
  const call: RegionClient['call'] = (request) =>
    request(ec2 as unknown as EC2, { abortSignal: signal })
  const read = { id, client: { call } as RegionClient, signal }
  return {
    sent,
    plan: (planned: SourceCall) => planRequests(planned, read),
    isDone: (request: Parameters<typeof isDone>[0]) => isDone(request, read),
    send: (request: Parameters<typeof isDone>[0]) =>
      toEc2Request(request, id)(ec2 as unknown as EC2, { abortSignal: signal }),
    deletedVolumes: () =>
      instance.BlockDeviceMappings.flatMap((mapping) =>
        'Ebs' in mapping && mapping.Ebs.DeleteOnTermination ? [mapping.Ebs.VolumeId] : [],
      ),
  }
}

const ids = { InstanceIds: [id] }

describe('the requests of an action at EC2', () => {
  const states: readonly (readonly [SourceCall, string, object])[] = [
    [{ kind: 'start' }, 'startInstances', ids],
    [{ kind: 'stop', isForced: false }, 'stopInstances', { ...ids, Force: false }],
    [{ kind: 'stop', isForced: true }, 'stopInstances', { ...ids, Force: true }],
    [{ kind: 'restart', isForced: false }, 'rebootInstances', ids],
  ]
  for (const [call, name, input] of states) {
    test(`${JSON.stringify(call)} is one, and only the state shows its end`, async () => {
      const ec2 = createEc2()
      const planned = await ec2.plan(call)
      for (const request of planned) {
        await ec2.send(request)
        assert.equal(await ec2.isDone(request), undefined)
      }
      assert.deepEqual(ec2.sent, [[name, input]])
    })
  }

  const updates = { name: 'new', shutdown_behavior: 'terminate', disable_delete: true } as const
  for (const [field, value] of Object.entries(updates)) {
    test(`an update of ${field} is sent once, and EC2 shows it`, async () => {
      const ec2 = createEc2()
      const call: SourceCall = { kind: 'update', changes: { [field]: value } }
      const [request, ...others] = await ec2.plan(call)
      assert.ok(request && others.length === 0)
      assert.equal(await ec2.isDone(request), false)
      await ec2.send(request)
      assert.equal(await ec2.isDone(request), true)
      assert.deepEqual(await ec2.plan(call), [])
      assert.equal(ec2.sent.length, 1)
    })
  }

  test('an update has one request for each field that differs', async () => {
    const ec2 = createEc2()
    const call: SourceCall = { kind: 'update', changes: { ...updates, shutdown_behavior: 'stop' } }
    const planned = await ec2.plan(call)
    assert.deepEqual(
      planned.map(({ data }) => Object.keys(data ?? {})),
      [['Name'], ['DisableApiTermination']],
    )
    assert.deepEqual(await ec2.plan({ kind: 'update', changes: { name: 'old' } }), [])
  })

  test('an attribute that may not be read is set in any case', async () => {
    const ec2 = createEc2({ isForbidden: true })
    const planned = await ec2.plan({ kind: 'update', changes: { disable_delete: false } })
    assert.equal(planned.length, 1)
    for (const request of planned) assert.equal(await ec2.isDone(request), undefined)
  })

  test('a resize changes the type only', async () => {
    const ec2 = createEc2()
    const [request] = await ec2.plan({ kind: 'resize', size: { instance_type: 't3.large' } })
    assert.ok(request)
    assert.equal(await ec2.isDone(request), false)
    await ec2.send(request)
    assert.equal(await ec2.isDone(request), true)
    for (const size of [{}, { vcpu_count: 2 }, { instance_type: 't3.large', vcpu_count: 2 }])
      await assert.rejects(ec2.plan({ kind: 'resize', size }), { kind: 'unsupported' })
  })

  for (const disks of [false, true]) {
    test(`a deletion ${disks ? 'with' : 'without'} disks decides for each volume first`, async () => {
      const ec2 = createEc2()
      const planned = await ec2.plan({ kind: 'delete', disks, snapshots: false })
      assert.equal(planned.at(-1)?.name, 'TerminateInstances')
      for (const request of planned.slice(0, -1)) {
        assert.equal(await ec2.isDone(request), false)
        await ec2.send(request)
        assert.equal(await ec2.isDone(request), true)
      }
      assert.deepEqual(ec2.deletedVolumes(), disks ? ['vol-root', 'vol-own'] : [])
      const again = await ec2.plan({ kind: 'delete', disks, snapshots: false })
      assert.equal(again.length, 1)
    })
  }

  test('an instance that is unknown or not described is not terminated', async () => {
    const call: SourceCall = { kind: 'delete', disks: false, snapshots: false }
    await assert.rejects(createEc2({ isUnknown: true }).plan(call), { kind: 'not-found' })
    await assert.rejects(createEc2({ isDescribed: false }).plan(call), { kind: 'invalid-response' })
  })

  test('what EC2 does not have is refused', async () => {
    const ec2 = createEc2()
    for (const kind of ['reset', 'suspend', 'resume', 'confirm-resize'])
      await assert.rejects(ec2.plan({ kind } as SourceCall), { kind: 'unsupported' })
    for (const changes of [{ shutdown_behavior: 'sleep' }, { boot_order: 'cd' }])
      await assert.rejects(ec2.plan({ kind: 'update', changes }), {
        kind: 'unsupported',
      })
    assert.throws(() => toEc2Request({ name: 'RunInstances' }, id), ActionError)
    assert.deepEqual(ec2.sent, [])
  })
})
