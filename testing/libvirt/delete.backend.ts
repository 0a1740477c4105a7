import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { changingProcedures } from '../../server/src/sources/libvirt/protocol.ts'
import { act, readFacts } from './act.ts'
import { startFrameProxy } from './frame-proxy.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'

describe('deleting guests of a real libvirtd', () => {
  let libvirt: TestLibvirt
  let pool: string
  before(async () => {
    libvirt = await startLibvirt()
    pool = join(libvirt.folder, 'images')
    mkdirSync(pool)
    chmodSync(pool, 0o777)
    await libvirt.virsh('pool-define-as', 'images', 'dir', '--target', pool)
    await libvirt.virsh('pool-start', 'images')
  })
  after(() => libvirt.stop())

  const inPool = (name: string) => join(pool, name)
  const isThere = (name: string) => existsSync(inPool(name))
  const createVolume = (name: string, ...more: string[]) =>
    libvirt.virsh('vol-create-as', 'images', name, '1M', '--format', 'qcow2', ...more)
  const diskOf = (source: string, more = '', type = 'file', format = 'qcow2') => {
    targets += 1
    return `<disk type='${type}' device='disk'><driver name='qemu' type='${format}'/>
      <source ${source}/><target dev='sd${String.fromCodePoint(97 + (targets % 26))}' bus='scsi'/>${more}</disk>`
  }
  let targets = 0
  const fileDisk = (name: string, more?: string) => diskOf(`file='${inPool(name)}'`, more)
  const define = async (name: string, devices: string, os = '') => {
    const id = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>${name}</name><uuid>${id}</uuid>
      <memory>1024</memory><os><type>hvm</type>${os}</os><features><acpi/></features><devices>${devices}</devices></domain>`)
    return id
  }
  const remove = async (id: string, disks = true) => {
    await act(libvirt.address, { kind: 'delete', disks, snapshots: false }, id)
    assert.equal(await readFacts(libvirt.address, id), undefined)
  }

  test('deletes a running guest with its volumes, or without', async () => {
    await createVolume('own.qcow2')
    await createVolume('kept.qcow2')
    const first = await libvirt.boot({ name: 'first', devices: fileDisk('own.qcow2') })
    const second = await libvirt.boot({ name: 'second', devices: fileDisk('kept.qcow2') })
    await remove(first)
    await remove(second, false)
    assert.deepEqual([isThere('own.qcow2'), isThere('kept.qcow2')], [false, true])
  })

  test('deletes only volumes that are used by no other guest and are in a pool', async () => {
    const names = ['mine', 'shared', 'shareable', 'readonly', 'in-pool-by-name', 'named-elsewhere']
    for (const name of names) await createVolume(name)
    await createVolume('base')
    await createVolume('overlay', '--backing-vol', 'base', '--backing-vol-format', 'qcow2')
    await createVolume('live-base')
    await createVolume(
      'live-overlay',
      '--backing-vol',
      'live-base',
      '--backing-vol-format',
      'qcow2',
    )
    writeFileSync(inPool('unlisted'), '')
    const outside = join(libvirt.folder, 'outside.img')
    writeFileSync(outside, '')
    await define('neighbour', fileDisk('shared') + fileDisk('overlay'))
    await define('by name', diskOf(`pool='images' volume='named-elsewhere'`, '', 'volume'))
    await libvirt.boot({ name: 'live', devices: fileDisk('live-overlay') })
    const id = await define(
      'mixed',
      [
        fileDisk('mine'),
        fileDisk('shared'),
        fileDisk('base'),
        fileDisk('live-base'),
        fileDisk('named-elsewhere'),
        diskOf(`file='${inPool('shareable')}'`, '<shareable/>', 'file', 'raw'),
        fileDisk('readonly', '<readonly/>'),
        diskOf(`pool='images' volume='in-pool-by-name'`, '', 'volume'),
        diskOf(`file='${inPool('unlisted')}'`, '', 'file', 'raw'),
        diskOf(`file='${outside}'`, '', 'file', 'raw'),
      ].join(''),
    )
    await remove(id)
    const all = [...names, 'base', 'live-base', 'unlisted']
    assert.deepEqual(
      all.filter((name) => !isThere(name)),
      ['mine', 'in-pool-by-name'],
    )
    assert.ok(existsSync(outside))
  })

  test('can be repeated when it was interrupted, because the definition goes last', async (context) => {
    await createVolume('half-1')
    await createVolume('half-2')
    const id = await define('half', fileDisk('half-1') + fileDisk('half-2'))
    const address = await startFrameProxy(context, libvirt.address, {
      drops: ({ procedure }) => procedure === changingProcedures.storageVolDelete,
    })
    const call = { kind: 'delete', disks: true, snapshots: false } as const
    await assert.rejects(act(address, call, id), { kind: 'outcome-unknown' })
    assert.deepEqual([isThere('half-1'), isThere('half-2')], [false, true])
    assert.ok(await readFacts(libvirt.address, id))
    await remove(id)
    assert.ok(!isThere('half-2'))
  })

  test('keeps all volumes while a stopped guest has an image that may be based on one', async () => {
    await createVolume('maybe-base')
    const overlay = join(libvirt.folder, 'elsewhere.qcow2')
    const backing = ['-b', inPool('maybe-base'), '-F', 'qcow2']
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', ...backing, overlay])
    const other = await define('elsewhere', diskOf(`file='${overlay}'`))
    const id = await define('maybe', fileDisk('maybe-base'))
    await remove(id)
    assert.ok(isThere('maybe-base'))
    await remove(other, false)
    await remove(await define('maybe', fileDisk('maybe-base')))
    assert.ok(!isThere('maybe-base'))
  })

  test('deletes snapshots, a saved state and NVRAM with the guest', async () => {
    await createVolume('snapped')
    const guest = await libvirt.boot({
      name: 'snapped',
      devices: fileDisk('snapped'),
    })
    await libvirt.virsh('snapshot-create-as', guest, 'one')
    await libvirt.virsh('managedsave', guest)
    await remove(guest)
    assert.ok(!isThere('snapped'))
    for (const disks of [true, false]) {
      const vars = join(libvirt.folder, `vars-${disks}.fd`)
      writeFileSync(vars, '')
      const code = join(libvirt.folder, 'code.fd')
      writeFileSync(code, '')
      const loader = `<loader readonly='yes' type='pflash'>${code}</loader><nvram>${vars}</nvram>`
      await remove(await define('efi', '', loader), disks)
      assert.equal(existsSync(vars), !disks)
    }
  })
})
