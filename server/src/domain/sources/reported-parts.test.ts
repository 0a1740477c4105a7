import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Disk, inventoryResources, IsolatedDevice, itemsOf, Nic } from '@muster/contract'
import { Value } from 'typebox/value'
import {
  completeDevice,
  completeDisk,
  completeItem,
  completeNic,
  describeNics,
} from './reported-parts.ts'

describe('parts of a reported server', () => {
  test('an item has what its description says, without fields of the server', () => {
    const { disks } = inventoryResources
    const { schema } = itemsOf(disks)
    const items = ['a', 'b', 'a'].map((name) => completeItem(disks, { name, iops: 7 }, 'server'))
    assert.deepEqual(Value.Errors(schema, items), [])
    assert.deepEqual(
      Object.keys(items[0] ?? {}).toSorted(),
      Object.keys(schema.items.properties).toSorted(),
    )
    assert.deepEqual(
      ['guest_id', 'guest', 'project_id', 'updated_at', 'created_at', 'fs_format'].map(
        (name) => items[0]?.[name],
      ),
      [undefined, undefined, undefined, undefined, null, ''],
    )
    const ids = items.map(({ id }) => id)
    assert.equal(ids[0], ids[2])
    assert.notEqual(ids[0], ids[1])
    assert.notEqual(ids[0], completeItem(disks, { name: 'a' }, 'other')['id'])
    assert.equal(completeItem(disks, { name: 'a', id: 'own' }, 'server')['id'], 'own')
  })

  test('a disk gets its index, its type and an id of its own', () => {
    const disks = [
      { name: 'root', size: 1 },
      { name: 'data', size: 2 },
    ].map((disk, index) => completeDisk(disk, index, 'server'))
    for (const disk of disks) assert.ok(Value.Check(Disk, disk))
    assert.deepEqual(
      disks.map(({ index, disk_type }) => [index, disk_type]),
      [
        [0, 'sys'],
        [1, 'data'],
      ],
    )
    assert.equal(new Set(disks.map(({ id }) => id)).size, 2)
    const given = completeDisk({ name: 'x', size: 1, id: 'vol-1', disk_type: 'swap' }, 0, 'server')
    assert.deepEqual([given.id, given.disk_type], ['vol-1', 'swap'])
  })

  test('a network interface is on a public network if its address is public', () => {
    const exits = ['192.0.2.1', '10.0.0.1', '8.8.8.8', '', 'odd'].map((ip_addr) => {
      const nic = completeNic({ ip_addr, mask: 24, network: 'lan' })
      assert.ok(Value.Check(Nic, nic))
      return nic.is_exit
    })
    assert.deepEqual(exits, [false, false, true, false, false])
    assert.equal(completeNic({ ip6_addr: '2a00:1450::1' }).is_exit, true)
    assert.equal(completeNic({ ip_addr: '8.8.8.8', is_exit: false }).is_exit, false)
  })

  test('network interfaces are described in one text', () => {
    const nics = [{ ip_addr: '10.0.0.1', mask: 24, mac: '52:54:00:00:00:01', network: 'lan' }, {}]
    assert.equal(describeNics(nics), 'eth0:10.0.0.1/24/52:54:00:00:00:01/lan,eth1:///')
  })

  test('a device belongs to the server', () => {
    const server = { id: 'server', hostId: 'host', createdAt: '2026-01-01T00:00:00.000000Z' }
    const device = completeDevice({ dev_type: 'GPU', model: 'A100' }, 1, server)
    assert.ok(Value.Check(IsolatedDevice, device))
    assert.deepEqual(
      [device.name, device.guest_id, device.host_id, device.created_at, device.model],
      ['gpu-1', 'server', 'host', server.createdAt, 'A100'],
    )
  })
})
