import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  ActionError,
  type SourceCall,
  type SourceRequest,
} from '../../server/src/domain/sources/action-port.ts'
import type { ReportedServer, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { vsphereKind } from '../../server/src/sources/vsphere/vsphere-kind.ts'
import {
  actOn,
  failsUnsent,
  readUntil,
  refusesAction,
} from '../../server/src/testing/inventory-world/act-on-source.ts'
import {
  startFaultProxy,
  type FaultProxy,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import {
  conformanceContext,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { startVcsim, type TestVcsim } from './start.ts'
import { openVcsimClient } from './vcsim-client.ts'

const soon = () => AbortSignal.timeout(30_000)
const remove = (disks: boolean, snapshots = false): SourceCall => ({
  kind: 'delete',
  disks,
  snapshots,
})
const stop = (isForced: boolean): SourceCall => ({ kind: 'stop', isForced })

/** An error as vSphere sends it. */
const soapFault = (fault: string) => ({
  status: 500,
  body: `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><s:Fault><faultcode>ServerFaultCode</faultcode><faultstring/><detail><${fault}Fault xmlns="urn:vim25" xsi:type="${fault}"/></detail></s:Fault></s:Body></s:Envelope>`,
})

const diskXml = (unit: number, file: string, operation = '', more = '') =>
  `<deviceChange><operation>add</operation>${operation}<device xsi:type="VirtualDisk"><key>-${unit}</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>${file}</fileName><diskMode>persistent</diskMode>${more}</backing><controllerKey>1000</controllerKey><unitNumber>${unit}</unitNumber><capacityInKB>1024</capacityInKB></device></deviceChange>`
const controllerXml =
  '<deviceChange><operation>add</operation><device xsi:type="ParaVirtualSCSIController"><key>1000</key><busNumber>0</busNumber><sharedBus>noSharing</sharedBus></device></deviceChange>'

describe('actions on vSphere, as vcsim simulates it', () => {
  let vcsim: TestVcsim
  let client: Awaited<ReturnType<typeof openVcsimClient>>
  let proxy: FaultProxy
  let settings: SourceSettings
  const lifetime = suiteLifetime()
  before(async () => {
    vcsim = await startVcsim({ vms: 2 })
    client = await openVcsimClient(vcsim)
    proxy = await startFaultProxy(lifetime, { upstream: vcsim.url })
    settings = { ...vcsim.settings, address: proxy.url, options: {} }
  })
  after(() => vcsim.stop())

  /** By UUID, also of deleted virtual machines. */
  const managedIds = new Map<string, string>()
  const referToMachine = (id: string) => ({
    ...referTo(id),
    notes: { managed_object_id: managedIds.get(id) ?? '' },
  })
  const createMachine = async (name: string) => {
    const id = await client.create(name)
    managedIds.set(id, await client.idOf(id))
    return id
  }
  const act = (id: string, call: SourceCall, at = settings, signal?: AbortSignal) =>
    actOn(vsphereKind, at, call, referTo(id), signal)
  const until = (id: string, isReached: (server: ReportedServer | undefined) => boolean) =>
    readUntil(vsphereKind, settings, referToMachine(id), isReached)
  const untilStatus = (id: string, status: string) =>
    until(id, (server) => server?.facts.status === status)
  const untilGone = (id: string) => until(id, (server) => server === undefined)
  const calls = (method: string) =>
    proxy.requests.filter(({ body }) => body.includes(`<${method} xmlns`))
  const setTools = (id: string, status: string) =>
    client.reconfigure(
      id,
      `<extraConfig><key>SET.guest.toolsRunningStatus</key><value xsi:type="xsd:string">${status}</value></extraConfig>`,
    )
  /** The files that vcsim has in the folder of a virtual machine. */
  async function filesAt(folder: string): Promise<readonly string[]> {
    const [datastore = ''] = await client.list('Datastore')
    const browser = await client.property('Datastore', datastore, 'browser')
    const result = await client.runTask(
      'SearchDatastore',
      'HostDatastoreBrowser',
      browser,
      `<datastorePath>${folder}</datastorePath><searchSpec><matchPattern>*</matchPattern></searchSpec>`,
    )
    return [...result.matchAll(/<path>([^<]+)</g)].map(([, path = '']) => path)
  }
  const folderOf = async (id: string) =>
    (
      await client.property('VirtualMachine', await client.idOf(id), 'config.files.vmPathName')
    ).replace(/\/[^/]*$/, '')

  test('switches a virtual machine off and on, suspends and resets it', async () => {
    const id = await createMachine('switched')
    await act(id, stop(true))
    await untilStatus(id, 'ready')
    await act(id, { kind: 'start' })
    await untilStatus(id, 'running')
    await act(id, { kind: 'suspend' })
    await untilStatus(id, 'suspend')
    await act(id, { kind: 'resume' })
    await untilStatus(id, 'running')
    await act(id, { kind: 'reset', isHard: true })
    await act(id, { kind: 'restart', isForced: true })
    assert.equal(calls('ResetVM_Task').length, 2)
    await untilStatus(id, 'running')
  })

  test('asks the guest, if VMware Tools run in it', async () => {
    const id = await createMachine('asked')
    await setTools(id, 'guestToolsNotRunning')
    const restart = { kind: 'restart', isForced: false } as const
    await refusesAction(act(id, restart), 'unsupported', /force the action/, settings)
    const reset = { kind: 'reset', isHard: false } as const
    await refusesAction(act(id, reset), 'unsupported', /VMware Tools/, settings)
    await setTools(id, 'guestToolsRunning')
    await act(id, restart)
    await untilStatus(id, 'running')
    // vcsim shuts guests down also without VMware Tools.
    proxy.inject(soapFault('ToolsUnavailable'), ({ body }) => body.includes('<ShutdownGuest'))
    await refusesAction(act(id, stop(false)), 'unsupported', /force the action/, settings)
    proxy.clear()
    await act(id, stop(false))
    await untilStatus(id, 'ready')
  })

  test('changes CPUs, memory and name', async () => {
    const id = await createMachine('small')
    await act(id, stop(true))
    await act(id, { kind: 'resize', size: { vcpu_count: 3, vmem_size: 3_072 } })
    await act(id, { kind: 'resize', size: { vmem_size: 4_096 } })
    const { facts } = (await untilStatus(id, 'ready')) ?? {}
    assert.deepEqual([facts?.vcpu_count, facts?.vmem_size], [3, 4_096])
    for (const name of ['grün & <bold>', '100 % of 1/2 \\ 3']) {
      await act(id, { kind: 'update', changes: { name } })
      await until(id, (server) => server?.facts.name === name)
    }
    const type = { kind: 'resize', size: { instance_type: 'm5.large' } } as const
    await refusesAction(act(id, type), 'unsupported', /no instance types/, settings)
    const order = { kind: 'update', changes: { boot_order: 'cdn' } } as const
    await refusesAction(act(id, order), 'unsupported', /boot_order/, settings)
  })

  test('keeps the files of a deleted virtual machine, unless told otherwise', async () => {
    const kept = await createMachine('kept')
    const keptFolder = await folderOf(kept)
    const files = await filesAt(keptFolder)
    assert.ok(files.some((file) => file.endsWith('.vmdk')))
    await act(kept, remove(false))
    await untilGone(kept)
    assert.deepEqual(await filesAt(keptFolder), files)
    assert.equal(calls('Destroy_Task').length, 0)

    const id = await createMachine('destroyed')
    const folder = await folderOf(id)
    await act(id, remove(true))
    await untilGone(id)
    assert.deepEqual(await filesAt(folder), [])
  })

  test('detaches disks that others use before it deletes the disks', async () => {
    const [owner, id] = [await createMachine('owner'), await createMachine('user')]
    for (const one of [owner, id]) await client.stop(one)
    const devices = await client.property(
      'VirtualMachine',
      await client.idOf(owner),
      'config.hardware.device',
    )
    const file = /<fileName>(\[[^<]+\.vmdk)</.exec(devices)?.[1] ?? ''
    assert.notEqual(file, '')
    await client.reconfigure(id, controllerXml).catch(() => {})
    await client.reconfigure(id, diskXml(8, file))
    const create = '<fileOperation>create</fileOperation>'
    const [datastore = ''] = await client.list('Datastore')
    const sharing = `<datastore type="Datastore">${datastore}</datastore><sharing>sharingMultiWriter</sharing>`
    await client.reconfigure(id, diskXml(9, '[LocalDS_0]', create, sharing))
    await act(id, remove(true))
    await untilGone(id)
    const [detached] = calls('ReconfigVM_Task').slice(-1)
    const removed = [
      ...(detached?.body ?? '').matchAll(
        /<operation>remove<\/operation><device xsi:type="VirtualDisk">/g,
      ),
    ]
    // Its own disk, which the copy has too, goes with it.
    assert.equal(removed.length, 2)
    assert.ok(!detached?.body.includes('fileOperation'))
    assert.ok((await filesAt(await folderOf(owner))).some((name) => file.endsWith(`/${name}`)))
  })

  test('deletes snapshots only if told', async () => {
    const id = await createMachine('with snapshot')
    const snapshot = '<name>one</name><memory>false</memory><quiesce>false</quiesce>'
    await client.onMachine('CreateSnapshot', id, snapshot)
    await refusesAction(act(id, remove(true)), 'unsupported', /delete the snapshots too/, settings)
    await untilStatus(id, 'running')
    await act(id, remove(true, true))
    await untilGone(id)
    const other = await createMachine('without snapshot')
    await client.onMachine('CreateSnapshot', other, snapshot)
    await act(other, remove(false, true))
    assert.equal(calls('RemoveAllSnapshots_Task').length, 1)
    await untilGone(other)
  })

  test('tells refusals apart', async () => {
    const id = await createMachine('refused')
    await refusesAction(act(id, { kind: 'start' }), 'conflict', /InvalidPowerState/, settings)
    const unknown = '00000000-0000-0000-0000-000000000000'
    await refusesAction(act(unknown, { kind: 'start' }), 'not-found', /does not have/, settings)
    const kinds = {
      TaskInProgress: 'conflict',
      ManagedObjectNotFound: 'not-found',
      NoPermission: 'denied',
      NotSupported: 'unsupported',
      InvalidName: 'unsupported',
      InsufficientMemoryResourcesFault: 'quota',
      NotEnoughLicenses: 'quota',
      SystemError: 'outcome-unknown',
      SomethingNew: 'failed',
    } as const
    const isStart = ({ body }: { body: string }) => body.includes('<PowerOnVM_Task')
    for (const [fault, kind] of Object.entries(kinds)) {
      proxy.inject(soapFault(fault), isStart)
      const before = calls('PowerOnVM_Task').length
      await refusesAction(act(id, { kind: 'start' }), kind, new RegExp(`\\(${fault}\\)`), settings)
      assert.equal(calls('PowerOnVM_Task').length, before + 1, 'it was sent again')
    }
    proxy.inject(soapFault('NotAuthenticated'), isStart)
    await refusesAction(act(id, { kind: 'start' }), 'denied', /ended the session/, settings)
    proxy.clear()
    const credentials = { ...settings.credentials, password: 'wrong' }
    await failsUnsent(act(id, { kind: 'start' }, { ...settings, credentials }), /^credentials$/)
    const away = { ...settings, address: 'http://127.0.0.1:1' }
    await failsUnsent(act(id, { kind: 'start' }, away), /^unreachable$/)
  })

  test('does not know the outcome without a response, and sends nothing again', async () => {
    const id = await createMachine('uncertain')
    const isStop = ({ body }: { body: string }) => body.includes('<PowerOffVM_Task')
    const uncertain = (signal?: AbortSignal) =>
      refusesAction(act(id, stop(true), settings, signal), 'outcome-unknown', /./, settings)
    for (const fault of [
      'close',
      'close in body',
      { status: 502, body: 'Bad Gateway' },
      { status: 200, body: '<html/>' },
    ] as const) {
      proxy.inject(fault, isStop)
      const before = calls('PowerOffVM_Task').length
      await uncertain()
      assert.equal(calls('PowerOffVM_Task').length, before + 1, 'it was sent again')
      // Only the response of the second one was cut.
      await untilStatus(id, fault === 'close' ? 'running' : 'ready')
    }
    proxy.inject('hang', isStop)
    await uncertain(AbortSignal.timeout(1_000))
    // The task begins, and then nothing is heard of it.
    await client.start(id)
    const isReading = ({ body }: { body: string }) => body.includes('<type>Task</type>')
    proxy.inject('close', isReading)
    await uncertain()
    proxy.inject({ change: (body) => body.replace('>success<', '>running<') }, isReading)
    await client.start(id)
    // The source works on it: Muster waits for the result.
    await act(id, stop(true), settings, AbortSignal.timeout(1_500))
    proxy.clear()
    await untilStatus(id, 'ready')
  })

  test('finds the task of a request that changes nothing else, and logs in again', async () => {
    const id = await createMachine('proven')
    const actor = await vsphereKind.acting?.open(settings, conformanceContext, soon())
    assert.ok(actor)
    const check = (request: SourceRequest) => actor.check?.(request, referTo(id), soon())
    const planReset = () => actor.plan({ kind: 'reset', isHard: true }, referTo(id), soon())
    const [first] = await planReset()
    assert.ok(first)
    assert.equal(await check(first), 'idle')
    await actor.send(first, referTo(id), soon())
    assert.equal(await check(first), true)
    const [second] = await planReset()
    assert.ok(second)
    assert.equal(await check(second), 'idle')
    proxy.inject(soapFault('NotAuthenticated'), ({ body }) => body.includes('<ResetVM_Task'), 1)
    const logins = calls('Login').length
    await assert.rejects(
      actor.send(second, referTo(id), soon()),
      (error) => error instanceof ActionError && error.mayRetry,
    )
    await actor.send(second, referTo(id), soon())
    assert.equal(calls('Login').length, logins + 1)
    assert.equal(await check(second), true)
    await actor.close()
  })

  test('says which actions the user may do, as far as it may do them everywhere', async () => {
    const signal = soon()
    const actor = await vsphereKind.acting?.open(settings, conformanceContext, signal)
    try {
      const all = (vsphereKind.acting?.actions ?? []).map((action) => [action, true])
      assert.deepEqual(await actor?.allowed?.(signal), Object.fromEntries(all))
      const change = (body: string) => body.replace('<returnval>true', '<returnval>false')
      proxy.inject({ change }, ({ body }) => body.includes('<HasPrivilegeOnEntity '))
      const allowed = await actor?.allowed?.(signal)
      proxy.clear()
      // The first privilege is the one of starting.
      assert.deepEqual(
        [allowed?.start, allowed?.resume, allowed?.stop],
        [undefined, undefined, true],
      )
    } finally {
      await actor?.close()
    }
  })

  test('closes its session', async () => {
    const before = await client.sessions()
    const id = await createMachine('last')
    await act(id, stop(true))
    assert.deepEqual(await client.sessions(), before)
  })

  test('reads several virtual machines at once, in order', async () => {
    const ids = [
      await createMachine('one'),
      await createMachine('two'),
      await createMachine('three'),
    ]
    await client.remove(ids[1] ?? '')
    const unknown = '00000000-0000-0000-0000-000000000000'
    managedIds.set(unknown, 'vm-999999')
    const wanted = [...ids.toReversed(), unknown]
    await withSource(vsphereKind, settings, async (source) => {
      const found = await source.getMany?.(
        wanted.map((id) => referToMachine(id)),
        soon(),
      )
      assert.deepEqual(
        found?.map((server) => server && 'facts' in server && server.facts.external_id),
        [ids[2], undefined, ids[0], undefined],
      )
      assert.deepEqual(found?.[0], await source.get(referTo(ids[2] ?? ''), soon()))
    })
  })
})
