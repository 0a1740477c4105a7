import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disksOf as openstackDisksOf } from './openstack/disks.ts'
import { disksOf } from './aws/disks.ts'

/** The ids of the disks of two servers with one volume, by source. */
const idsOf = {
  aws: (isShared: boolean) =>
    ['i-1', 'i-2'].map((InstanceId) => {
      const volume = { VolumeId: 'vol', Size: 1, MultiAttachEnabled: isShared }
      const instance = {
        InstanceId,
        BlockDeviceMappings: [{ DeviceName: 'sda', Ebs: { VolumeId: 'vol' } }],
      }
      const lookups = { volumes: new Map([['vol', volume]]), types: new Map(), images: new Map() }
      return disksOf(instance, lookups as never)[0]?.id
    }),
  openstack: (isShared: boolean) =>
    ['1', '2'].map((id) => {
      const volume = { id: 'vol', size: 1, multiattach: isShared, attachments: [] }
      const server = { id, 'os-extended-volumes:volumes_attached': [{ id: 'vol' }] }
      const lookups = { volumes: new Map([['vol', volume]]), images: new Map() }
      return openstackDisksOf(server, {}, lookups as never)[0]?.id
    }),
}

for (const [source, ids] of Object.entries(idsOf)) {
  test(`${source}: servers that share a volume have disks with different ids`, () => {
    const [first, second] = ids(true)
    assert.ok(first && second && first !== second, `${first} ${second}`)
    assert.deepEqual(ids(true), [first, second])
    assert.deepEqual(ids(false), ['vol', 'vol'])
  })
}
