import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'

interface ShownTask {
  readonly action: string
  readonly status: string
  readonly error: string
}

describe('tasks on a guest of a real libvirtd, through the API', () => {
  const lifetime = suiteLifetime()
  const uuid = randomUUID()
  let libvirt: TestLibvirt
  let operator: Operator
  let volume: string
  let server: string
  before(async () => {
    libvirt = await startLibvirt()
    const pool = join(libvirt.folder, 'images')
    volume = join(pool, 'web.qcow2')
    mkdirSync(pool)
    chmodSync(pool, 0o777)
    await libvirt.virsh('pool-define-as', 'images', 'dir', '--target', pool)
    await libvirt.virsh('pool-start', 'images')
    await libvirt.virsh('vol-create-as', 'images', 'web.qcow2', '1M', '--format', 'qcow2')
    await libvirt.boot({
      name: 'web',
      uuid,
      elements: '<features><acpi/></features>',
      devices: `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/>
        <source file='${volume}'/><target dev='hda' bus='ide'/></disk>`,
    })
    const muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
    operator = operate(muster, await loginAdmin(muster.authUrl))
    const account = await operator.attach({
      provider: 'OneCloud',
      address: libvirt.address,
      access: 'manage',
    })
    await operator.finished(account)
    server = (await operator.servers())[0]?.id ?? ''
  })
  after(() => libvirt.stop())

  /** The newest task of the server, when it has ended. */
  const ended = (action: string) =>
    eventually(
      `the end of ${action}`,
      async () => {
        const { tasks } = await operator.request<{ tasks: ShownTask[] }>('/tasks?limit=100')
        const task = tasks.find((one) => one.action === action)
        return task && !['queued', 'running'].includes(task.status) && task
      },
      { deadline: 120 },
    )
  const perform = async (action: string, body: object = {}) => {
    await operator.request(`/servers/${server}/${action}`, 'POST', { server: body })
    const { status, error } = await ended(action)
    assert.deepEqual([status, error], ['succeeded', ''])
  }
  const stateOfGuest = async () => (await libvirt.virsh('domstate', uuid)).trim()
  const shownStatus = async () => (await operator.servers())[0]?.status

  test('stops and starts the guest', async () => {
    await eventually('the guest is up', async () => libvirt.consoleOf('web').includes('is up'), {
      deadline: 60,
    })
    await perform('stop')
    assert.deepEqual([await stateOfGuest(), await shownStatus()], ['shut off', 'ready'])
    assert.match(libvirt.consoleOf('web'), /Power down/)
    await perform('start')
    assert.deepEqual([await stateOfGuest(), await shownStatus()], ['running', 'running'])
  })

  test('resizes the guest, which restarts for it', async () => {
    await perform('change-config', { vcpu_count: 2, force_stop: true })
    assert.equal(await stateOfGuest(), 'running')
    assert.equal((await operator.servers())[0]?.vcpu_count, 2)
  })

  test('deletes the guest with its volume', async () => {
    const query = 'override_pending_delete=true&delete_disks=true'
    await operator.request(`/servers/${server}?${query}`, 'DELETE')
    assert.deepEqual((await ended('delete')).status, 'succeeded')
    assert.ok(!(await libvirt.virsh('list', '--all', '--uuid')).includes(uuid))
    assert.ok(!existsSync(volume))
    assert.deepEqual(await operator.servers(), [])
  })
})
