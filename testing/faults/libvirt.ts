import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { transientOnly } from '../../server/src/sources/libvirt/protocol.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { startLibvirt } from '../libvirt/start.ts'
import type { FaultyBackEnd, SourceServer } from './back-end.ts'
import { startLibvirtPort } from './libvirt-port.ts'

const statuses: Readonly<Record<string, string>> = {
  running: 'running',
  'shut off': 'ready',
  paused: 'suspend',
}

/** A real libvirtd with guests that QEMU runs. They have no system, so none reacts to a shutdown. */
export async function startFaultyLibvirt(lifetime: Lifetime): Promise<FaultyBackEnd> {
  const libvirt = await startLibvirt()
  const [uri = '', target = ''] = libvirt.address.split('?socket=')
  const { port, path } = await startLibvirtPort(lifetime, target)
  const { virsh } = libvirt

  const pool = join(libvirt.folder, 'images')
  mkdirSync(pool)
  chmodSync(pool, 0o777)
  await virsh('pool-define-as', 'images', 'dir', '--target', pool)
  await virsh('pool-start', 'images')
  const fileOf = (id: string) => join(pool, `${id}.qcow2`)

  async function create(name: string, status: string, hasDisk = false): Promise<string> {
    const uuid = randomUUID()
    if (hasDisk) await virsh('vol-create-as', 'images', `${uuid}.qcow2`, '1M', '--format', 'qcow2')
    const disk = `<devices><disk type='file' device='disk'><driver type='qcow2'/>
      <source file='${fileOf(uuid)}'/><target dev='vda'/></disk></devices>`
    await libvirt.define(`<domain type='qemu'><name>${name}</name><uuid>${uuid}</uuid>
      <memory unit='MiB'>16</memory><vcpu>1</vcpu>
      <os><type arch='x86_64' machine='pc'>hvm</type></os>${hasDisk ? disk : ''}</domain>`)
    if (status !== 'ready') await virsh('start', uuid)
    if (status === 'suspend') await virsh('suspend', uuid)
    return uuid
  }
  await create('one', 'running')
  await create('two', 'ready')
  const other = await create('other', 'ready')

  return {
    port,
    account: {
      provider: 'OneCloud',
      address: `${uri}?socket=${path}`,
      credentials: {},
      options: {},
    },
    actions: libvirtKind.acting?.actions ?? [],
    otherSize: { vcpu_count: 2 },
    parameters: {
      stop: { is_force: true },
      restart: { is_force: true },
      reset: { is_hard: true },
    },
    disks: {
      create: (name) => create(name, 'running', true),
      exists: async (id) => existsSync(fileOf(id)),
    },
    // A running domain cannot be renamed, and a guest without a system does not stop for a new size.
    startsFrom: { update: 'ready', 'change-config': 'ready' },
    ignoresShutdown: true,
    // A second list only tells which of the domains are transient.
    isServerList: ({ name, content }) =>
      name === 'connectListAllDomains' && Number.parseInt(content.slice(-8), 16) !== transientOnly,
    create: (name, status) => create(name, status),
    async remove(id) {
      await virsh('destroy', id).catch(() => {})
      await virsh('undefine', id)
    },
    async renameOther(name) {
      await virsh('domrename', other, name)
      return other
    },
    async servers() {
      const found = new Map<string, SourceServer>()
      const ids = (await virsh('list', '--all', '--uuid')).split('\n').filter((id) => id !== '')
      for (const id of ids) {
        const info = await virsh('dominfo', id)
        const value = (name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(info)?.[1] ?? ''
        found.set(id, {
          name: value('Name'),
          status: statuses[value('State')] ?? value('State'),
          size: value('CPU\\(s\\)'),
        })
      }
      return found
    },
    async restart() {
      await libvirt.kill()
      await libvirt.restart()
    },
    stop: () => libvirt.stop(),
  }
}
