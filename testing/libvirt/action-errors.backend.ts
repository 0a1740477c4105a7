import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  sourceActions,
  type ActionErrorKind,
  type SourceCall,
} from '../../server/src/domain/sources/action-port.ts'
import { libvirtActing } from '../../server/src/sources/libvirt/libvirt-acting.ts'
import {
  changingProcedures,
  procedures,
  readOnly,
} from '../../server/src/sources/libvirt/protocol.ts'
import {
  failsUnsent,
  refusesAction,
  sendCall,
} from '../../server/src/testing/inventory-world/act-on-source.ts'
import {
  conformanceContext,
  testTimeout,
} from '../../server/src/testing/inventory-world/scan-source.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { act, readFacts, settingsFor, waitForStatus } from './act.ts'
import { startFrameProxy } from './frame-proxy.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'

describe('actions that a real libvirtd does not carry out', () => {
  let libvirt: TestLibvirt
  let running: string
  before(async () => {
    libvirt = await startLibvirt()
    running = await libvirt.boot({ name: 'running' })
  })
  after(() => libvirt.stop())

  const open = (address: string) =>
    libvirtActing.open(settingsFor(address), conformanceContext, testTimeout())
  const refuses = (
    id: string,
    call: SourceCall,
    kind: ActionErrorKind,
    message = /./,
    address = libvirt.address,
  ) => refusesAction(act(address, call, id), kind, message, settingsFor(address))
  const define = async (name: string, elements = '', memory = '<memory>1024</memory>') => {
    const id = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>${name}</name><uuid>${id}</uuid>${memory}
      ${elements}<os><type arch='x86_64' machine='pc'>hvm</type></os></domain>`)
    return id
  }

  test('not found', async () => {
    for (const id of [randomUUID(), 'i-0123', '']) {
      await refuses(id, { kind: 'start' }, 'not-found', /no domain/)
    }
  })

  test('conflict with the state of the guest', async () => {
    const stopped = await define('stopped')
    await refuses(running, { kind: 'start' }, 'conflict', /already running/)
    await refuses(running, { kind: 'resume' }, 'conflict', /already running/)
    await refuses(running, { kind: 'update', changes: { name: 'x' } }, 'conflict', /active/)
    await refuses(running, { kind: 'resize', size: { vcpu_count: 2 } }, 'conflict', /Stop it/)
    for (const kind of ['suspend', 'resume'] as const) {
      await refuses(stopped, { kind }, 'conflict', /not running/)
    }
    await refuses(stopped, { kind: 'stop', isForced: true }, 'conflict', /not running/)
    await refuses(stopped, { kind: 'stop', isForced: false }, 'conflict', /not running/)
    await refuses(stopped, { kind: 'reset', isHard: true }, 'conflict', /not running/)
    const name = { kind: 'update', changes: { name: 'running' } } as const
    await refuses(stopped, name, 'conflict', /already exists/)
  })

  test('unsupported by this guest', async () => {
    const numa = await define(
      'numa',
      `<cpu><numa><cell id='0' cpus='0' memory='65536'/></numa></cpu>`,
      '<memory>65536</memory>',
    )
    await refuses(numa, { kind: 'resize', size: { vmem_size: 128 } }, 'unsupported', /NUMA/)
    const cores = await define(
      'cores',
      `<vcpu>2</vcpu><cpu><topology sockets='1' cores='2' threads='1'/></cpu>`,
    )
    await refuses(cores, { kind: 'resize', size: { vcpu_count: 3 } }, 'unsupported', /topology/)
    await refuses(running, { kind: 'restart', isForced: false }, 'unsupported')
  })

  test('more memory than the host has', async () => {
    const id = await define('vast', '', `<memory unit='TiB'>64</memory>`)
    await refuses(id, { kind: 'start' }, 'quota', /memory/)
    assert.equal((await readFacts(libvirt.address, id))?.status, 'ready')
  })

  test('failed for a reason of its own', async () => {
    const id = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>no disk</name><uuid>${id}</uuid>
      <memory>1024</memory><os><type>hvm</type></os><devices><disk type='file' device='disk'>
      <source file='/nowhere.img'/><target dev='hda' bus='ide'/></disk></devices></domain>`)
    await refuses(id, { kind: 'start' }, 'failed', /nowhere\.img/)
  })

  test('denied by a read-only connection, which is known before', async (context) => {
    const everything = (isAllowed: boolean) =>
      Object.fromEntries(sourceActions.map((action) => [action, isAllowed]))
    const allowed = async (address: string) => {
      const actor = await open(address)
      const found = await actor.allowed?.(testTimeout())
      await actor.close()
      return found
    }
    assert.deepEqual(await allowed(libvirt.address), everything(true))
    // As libvirt's own read-only socket does, which a daemon of a session does not have.
    const address = await startFrameProxy(context, libvirt.address, {
      change(frame) {
        if (frame.procedure === procedures.connectOpen) {
          frame.body.writeUInt32BE(readOnly, frame.body.length - 4)
        }
        return frame
      },
    })
    assert.deepEqual(await allowed(address), everything(false))
    await refuses(running, { kind: 'stop', isForced: true }, 'denied', /read only/, address)
    await refuses(
      running,
      { kind: 'delete', disks: true, snapshots: false },
      'denied',
      /read only/,
      address,
    )
    assert.equal((await readFacts(libvirt.address, running))?.status, 'running')
  })

  test('the outcome is unknown if the answer does not arrive', async (context) => {
    const address = await startFrameProxy(context, libvirt.address, {
      drops: ({ procedure }) => procedure === changingProcedures.domainSuspend,
    })
    await refuses(running, { kind: 'suspend' }, 'outcome-unknown', /no usable answer/, address)
    await waitForStatus(libvirt.address, running, 'suspend')
    await act(libvirt.address, { kind: 'resume' }, running)
    await waitForStatus(libvirt.address, running, 'running')
  })

  test('nothing was sent if the daemon is gone before', async () => {
    const actor = await open(libvirt.address)
    await libvirt.kill()
    const call = { kind: 'stop', isForced: true } as const
    await failsUnsent(sendCall(actor, call, referTo(running)), /^unreachable$/)
    await actor.close()
    await failsUnsent(act(libvirt.address, { kind: 'start' }, running), /^unreachable$/)
    await libvirt.restart()
    assert.equal((await readFacts(libvirt.address, running))?.status, 'running')
  })
})
