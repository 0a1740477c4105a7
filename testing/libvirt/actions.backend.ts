import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { SourceCall } from '../../server/src/domain/sources/action-port.ts'
import type { ReportedFacts } from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { testActing } from '../../server/src/testing/inventory-world/test-acting.ts'
import { act as actAt, readFacts, settingsFor, waitForFacts, waitForStatus } from './act.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'

const acpi = '<features><acpi/></features>'

describe('actions on the guests of a real libvirtd', () => {
  let libvirt: TestLibvirt
  before(async () => {
    libvirt = await startLibvirt()
  })
  after(() => libvirt.stop())

  const act = (call: SourceCall, id: string) => actAt(libvirt.address, call, id)
  const becomes = (id: string, status: string) => waitForStatus(libvirt.address, id, status)
  const bootsAgain = (name: string, times: number) =>
    eventually(
      `boot ${times} of ${name}`,
      () => libvirt.consoleOf(name).split('muster guest is up').length > times || undefined,
    )
  const configuration = (id: string) => libvirt.virsh('dumpxml', id, '--inactive')

  testActing(libvirtKind, () => ({
    settings: settingsFor(libvirt.address),
    running: async () => referTo(await libvirt.boot({ name: 'any' })),
  }))

  test('stops a guest by asking it, and starts it', async () => {
    const id = await libvirt.boot({ name: 'polite', elements: acpi })
    await bootsAgain('polite', 1)
    await act({ kind: 'stop', isForced: false }, id)
    await becomes(id, 'ready')
    assert.match(libvirt.consoleOf('polite'), /Power down/)
    await act({ kind: 'start' }, id)
    await becomes(id, 'running')
  })

  test('switches a guest off that does not react', async () => {
    const id = await libvirt.boot({ name: 'deaf' })
    await act({ kind: 'stop', isForced: false }, id)
    await act({ kind: 'stop', isForced: true }, id)
    await becomes(id, 'ready')
  })

  test('resets a guest', async () => {
    const id = await libvirt.boot({ name: 'reset' })
    await bootsAgain('reset', 1)
    await act({ kind: 'reset', isHard: true }, id)
    await bootsAgain('reset', 2)
    assert.equal((await readFacts(libvirt.address, id))?.status, 'running')
  })

  test('suspends and resumes a guest', async () => {
    const id = await libvirt.boot({ name: 'paused' })
    await act({ kind: 'suspend' }, id)
    await becomes(id, 'suspend')
    await act({ kind: 'resume' }, id)
    await becomes(id, 'running')
  })

  test('renames a stopped guest', async () => {
    const id = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>old name</name><uuid>${id}</uuid>
      <memory>1024</memory><os><type>hvm</type></os></domain>`)
    await act({ kind: 'update', changes: { name: 'new näme <1>' } }, id)
    await waitForFacts(libvirt.address, id, (facts) => facts?.name === 'new näme <1>')
  })

  test('resizes a stopped guest, which then starts with its new size', async () => {
    const id = await libvirt.boot({ name: 'grows' })
    await act({ kind: 'stop', isForced: true }, id)
    await becomes(id, 'ready')
    await act({ kind: 'resize', size: { vcpu_count: 2, vmem_size: 128 } }, id)
    const isLarger = (facts: ReportedFacts | undefined) =>
      facts?.vcpu_count === 2 && facts.vmem_size === 128
    await waitForFacts(libvirt.address, id, isLarger)
    await act({ kind: 'start' }, id)
    await waitForFacts(
      libvirt.address,
      id,
      (facts) => facts?.status === 'running' && isLarger(facts),
    )
    await act({ kind: 'stop', isForced: true }, id)
    await act({ kind: 'resize', size: { vcpu_count: 1 } }, id)
    await act({ kind: 'resize', size: { vmem_size: 100 } }, id)
    const xml = await configuration(id)
    assert.match(xml, /<vcpu placement='static'>1<\/vcpu>/)
    assert.match(xml, /<memory unit='KiB'>102400<\/memory>\s*<currentMemory unit='KiB'>102400</)
  })

  test('leaves a guest room for CPUs that are plugged in later', async () => {
    const id = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>hotplug</name><uuid>${id}</uuid>
      <memory>1024</memory><vcpu current='2'>4</vcpu><os><type>hvm</type></os></domain>`)
    await act({ kind: 'resize', size: { vcpu_count: 3 } }, id)
    assert.match(await configuration(id), /<vcpu placement='static' current='3'>4</)
    await act({ kind: 'resize', size: { vcpu_count: 6 } }, id)
    assert.match(await configuration(id), /<vcpu placement='static'>6</)
  })

  test('a guest that is lost when it stops says so, and can be deleted', async () => {
    const model = await libvirt.boot({ name: 'model' })
    assert.equal((await readFacts(libvirt.address, model))?.notes?.['lost_on_stop'], undefined)
    const id = randomUUID()
    const file = join(libvirt.folder, 'transient.xml')
    const xml = await configuration(model)
    writeFileSync(file, xml.replaceAll(model, id).replace('>model<', '>transient<'))
    await libvirt.virsh('create', file)
    const facts = await becomes(id, 'running')
    assert.match(facts?.notes?.['lost_on_stop'] ?? '', /transient/)
    await act({ kind: 'delete', disks: true, snapshots: false }, id)
    assert.equal(await readFacts(libvirt.address, id), undefined)
  })
})
