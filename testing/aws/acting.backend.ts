import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SourceCall } from '../../server/src/domain/sources/action-port.ts'
import type { Forbidden, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { awsKind } from '../../server/src/sources/aws/aws-kind.ts'
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
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { actionsOf, createFleet } from './fleet.ts'
import { startMoto, type TestMoto } from './start.ts'

const region = 'eu-west-1'
const soon = () => AbortSignal.timeout(30_000)
const remove = (disks: boolean): SourceCall => ({ kind: 'delete', disks, snapshots: false })

describe('actions on EC2, as moto emulates it', () => {
  let moto: TestMoto
  let fleet: ReturnType<typeof createFleet>
  let proxy: FaultProxy
  let settings: SourceSettings
  const lifetime = suiteLifetime()
  before(async () => {
    moto = await startMoto()
    fleet = createFleet(moto)
    proxy = await startFaultProxy(lifetime, { upstream: moto.url })
    settings = settingsAt(proxy.url)
    await fleet.run({ name: 'always there' })
  })
  after(() => moto.stop())

  const settingsAt = (
    address: string,
    credentials: Readonly<Record<string, string>> = moto.key,
  ): SourceSettings => ({ address, credentials, options: { regions: [region] } })
  const act = (id: string, call: SourceCall, at = settings, signal?: AbortSignal) =>
    actOn(awsKind, at, call, referTo(id, region), signal)
  const until = (id: string, status: string) =>
    readUntil(awsKind, settings, referTo(id, region), (server) => server?.facts.status === status)
  const untilGone = (id: string) =>
    readUntil(awsKind, settings, referTo(id, region), (server) => server === undefined)
  const run = async (name: string, more?: object) =>
    (await fleet.run({ name, ...(more && { more }) }))[0] ?? ''
  const sent = (action: string) =>
    proxy.requests.filter(({ body }) => body.startsWith(`Action=${action}&`))
  const volumesOf = async (id: string) => {
    const { Volumes } = await moto.order<{ Volumes: { VolumeId: string }[] }>({
      call: 'describe_volumes',
      with: { Filters: [{ Name: 'attachment.instance-id', Values: [id] }] },
    })
    return Volumes.map(({ VolumeId }) => VolumeId)
  }
  const existing = async (ids: readonly string[]) => {
    const { Volumes } = await moto.order<{ Volumes: { VolumeId: string }[] }>({
      call: 'describe_volumes',
    })
    return ids.filter((id) => Volumes.some(({ VolumeId }) => VolumeId === id))
  }
  async function addVolume(id: string, Device: string, more: object = {}): Promise<string> {
    const { VolumeId } = await moto.order<{ VolumeId: string }>({
      call: 'create_volume',
      with: { AvailabilityZone: `${region}a`, Size: 4, ...more },
    })
    await moto.order({ call: 'attach_volume', with: { VolumeId, InstanceId: id, Device } })
    return VolumeId
  }

  test('stops, starts and restarts an instance', async () => {
    const id = await run('switched')
    await act(id, { kind: 'stop', isForced: false })
    await until(id, 'ready')
    await act(id, { kind: 'start' })
    await until(id, 'running')
    await act(id, { kind: 'restart', isForced: false })
    assert.equal(sent('RebootInstances').length, 1)
    await until(id, 'running')
    await act(id, { kind: 'stop', isForced: true })
    await until(id, 'ready')
    const forced = sent('StopInstances').map(({ body }) => new URLSearchParams(body).get('Force'))
    assert.deepEqual(forced, ['false', 'true'])
  })

  test('changes the instance type', async () => {
    const id = await run('grown')
    await act(id, { kind: 'stop', isForced: false })
    await act(id, { kind: 'resize', size: { instance_type: 'm5.large' } })
    const server = await until(id, 'ready')
    assert.deepEqual([server?.facts.instance_type, server?.facts.vmem_size], ['m5.large', 8_192])
    const before = proxy.requests.length
    const size = { instance_type: 'm5.large', vcpu_count: 8 }
    await refusesAction(act(id, { kind: 'resize', size }), 'unsupported', /instance_type/, settings)
    await refusesAction(act(id, { kind: 'suspend' }), 'unsupported', /no suspend/, settings)
    assert.equal(proxy.requests.length, before)
  })

  test('changes name, protection and shutdown behavior, which get and scan then report', async () => {
    const id = await run('before')
    const changes = { name: 'nach & vor', disable_delete: true, shutdown_behavior: 'terminate' }
    await act(id, { kind: 'update', changes })
    const { facts } = (await until(id, 'running')) ?? {}
    assert.deepEqual(
      [facts?.name, facts?.disable_delete, facts?.shutdown_behavior],
      ['nach & vor', true, 'terminate'],
    )
    const scanned = await withSource(awsKind, settings, scanAll)
    const server = [...scanned.values()].find((one) => one.facts.external_id === id)
    assert.equal(server?.facts.disable_delete, true)

    await refusesAction(act(id, remove(false)), 'denied', /protection/, settings)
    await until(id, 'running')
    await act(id, { kind: 'update', changes: { disable_delete: false } })
    assert.equal((await until(id, 'running'))?.facts.disable_delete, false)
    await act(id, remove(false))
    await untilGone(id)

    const wrong = { kind: 'update', changes: { shutdown_behavior: 'explode' } } as const
    await refusesAction(act(id, wrong), 'unsupported', /use stop or terminate/, settings)
    const order = { kind: 'update', changes: { boot_order: 'cdn' } } as const
    await refusesAction(act(id, order), 'unsupported', /boot_order/, settings)
  })

  test('keeps the volumes of a deleted instance, unless told otherwise', async () => {
    const kept = await run('kept volumes')
    await addVolume(kept, '/dev/sdf')
    const keptVolumes = await volumesOf(kept)
    assert.equal(keptVolumes.length, 2)
    await act(kept, remove(false))
    await untilGone(kept)
    assert.deepEqual(await existing(keptVolumes), keptVolumes)

    const id = await run('deleted volumes')
    await addVolume(id, '/dev/sdf')
    const shared = await addVolume(id, '/dev/sdg', {
      VolumeType: 'io2',
      Iops: 200,
      MultiAttachEnabled: true,
    })
    const volumes = await volumesOf(id)
    assert.equal(volumes.length, 3)
    await act(id, remove(true))
    await untilGone(id)
    assert.deepEqual(await existing(volumes), [shared])
  })

  test('deletes nothing unless EC2 shows that it keeps the volumes', async () => {
    const id = await run('unprepared')
    const isModify = ({ body }: { body: string }) => body.startsWith('Action=ModifyInstance')
    const done = `<ModifyInstanceAttributeResponse><return>true</return></ModifyInstanceAttributeResponse>`
    proxy.inject({ status: 200, body: done }, isModify)
    const signal = AbortSignal.timeout(1_500)
    const before = sent('TerminateInstances').length
    await assert.rejects(act(id, remove(false), settings, signal))
    proxy.clear()
    assert.equal(sent('TerminateInstances').length, before)
    await until(id, 'running')
  })

  test('tells refusals apart', async () => {
    const id = await run('refused')
    await refusesAction(
      act('i-0123456789abcdef0', { kind: 'start' }),
      'not-found',
      /does not have/,
      settings,
    )
    await refusesAction(
      act('i-0123456789abcdef0', remove(false)),
      'not-found',
      /does not have/,
      settings,
    )
    const start = { kind: 'start' } as const
    const kinds = {
      IncorrectInstanceState: 'conflict',
      UnsupportedOperation: 'unsupported',
      OperationNotPermitted: 'denied',
      UnauthorizedOperation: 'denied',
      InstanceLimitExceeded: 'quota',
      VcpuLimitExceeded: 'quota',
      RequestLimitExceeded: 'failed',
      SomethingNew: 'failed',
    } as const
    const answer = (status: number, code: string) => {
      const body = `<Response><Errors><Error><Code>${code}</Code></Error></Errors></Response>`
      proxy.inject({ status, body }, ({ body: form }) => form.startsWith('Action=Start'))
    }
    for (const [code, kind] of Object.entries(kinds)) {
      answer(code === 'RequestLimitExceeded' ? 503 : 400, code)
      const before = sent('StartInstances').length
      await refusesAction(act(id, start), kind, new RegExp(`\\(${code}\\)\\.$`), settings)
      assert.equal(sent('StartInstances').length, before + 1, 'it was sent again')
    }
    // AWS sends this one as a server error, although it is a clear refusal.
    answer(500, 'InsufficientInstanceCapacity')
    await refusesAction(act(id, start), 'quota', /capacity of AWS/, settings)
    answer(500, 'InternalError')
    await refusesAction(act(id, start), 'outcome-unknown', /InternalError/, settings)
    answer(400, 'ExpiredToken')
    await refusesAction(act(id, start), 'denied', /access key/, settings)
    proxy.clear()
    const wrong = settingsAt(moto.url, { ...moto.key, secret_access_key: 'not the secret' })
    await refusesAction(act(id, start, wrong), 'denied', /access key/, wrong)
    await failsUnsent(act(id, start, settingsAt('http://127.0.0.1:1')), /^unreachable$/)
  })

  test('does not know the outcome without a response, and sends nothing again', async () => {
    const id = await run('uncertain')
    const isStop = ({ body }: { body: string }) => body.startsWith('Action=StopInstances&')
    const stop = { kind: 'stop', isForced: false } as const
    for (const fault of ['close', 'close in body', 'hang'] as const) {
      proxy.inject(fault, isStop)
      const before = sent('StopInstances').length
      const signal = fault === 'hang' ? AbortSignal.timeout(1_000) : undefined
      await refusesAction(
        act(id, stop, settings, signal),
        'outcome-unknown',
        /no usable answer to StopInstances/,
        settings,
      )
      assert.equal(sent('StopInstances').length, before + 1, `${fault}: it was sent again`)
      // Only the response of the second one was cut.
      await until(id, fault === 'close' ? 'running' : 'ready')
    }
    for (const body of ['', '<html>Welcome</html>', '<StopInstancesResponse>']) {
      proxy.inject({ status: 200, body }, isStop)
      await refusesAction(act(id, stop), 'outcome-unknown', /no usable answer/, settings)
    }
    proxy.inject({ status: 502, body: 'Bad Gateway' }, isStop)
    await refusesAction(act(id, stop), 'outcome-unknown', /502/, settings)
    proxy.clear()
  })

  test('says which actions a key allows, without acting', async () => {
    const allowedTo = async (credentials: Readonly<Record<string, string>>) => {
      const signal = soon()
      const at = settingsAt(moto.url, credentials)
      const actor = await awsKind.acting?.open(at, conformanceContext, signal)
      try {
        return await actor?.allowed?.(signal)
      } finally {
        await actor?.close()
      }
    }
    const before = await withSource(awsKind, settings, scanAll)
    const all = Object.fromEntries((awsKind.acting?.actions ?? []).map((action) => [action, true]))
    assert.deepEqual(await allowedTo(moto.key), all)
    const reader = await fleet.makeKey('observer', [
      ...actionsOf(awsKind.rights),
      'ec2:StartInstances',
      'ec2:TerminateInstances',
      'ec2:CreateTags',
    ])
    assert.deepEqual(await allowedTo(reader), {
      start: true,
      stop: false,
      restart: false,
      'change-config': false,
      update: false,
      delete: false,
    })
    assert.deepEqual(await withSource(awsKind, settings, scanAll), before)
    const id = await run('guarded')
    const at = settingsAt(moto.url, reader)
    await refusesAction(
      act(id, { kind: 'stop', isForced: false }, at),
      'denied',
      /lacks the permission/,
      at,
    )
  })

  test('needs only the documented permissions', async () => {
    const rights = [...awsKind.rights, ...(awsKind.acting?.rights ?? [])]
    const at = settingsAt(moto.url, await fleet.makeKey('actor', actionsOf(rights)))
    const id = await run('all actions')
    const calls: SourceCall[] = [
      { kind: 'stop', isForced: false },
      { kind: 'resize', size: { instance_type: 'm5.large' } },
      { kind: 'start' },
      { kind: 'restart', isForced: false },
      { kind: 'update', changes: { name: 'x', shutdown_behavior: 'stop', disable_delete: false } },
      remove(true),
    ]
    for (const call of calls) await act(id, call, at)
    await untilGone(id)
  })

  test('reads several instances at once, in order', async () => {
    const ids = await fleet.run({ name: 'many', count: 3 })
    await fleet.change('terminate_instances', ids[1] ?? '')
    const wanted = [...ids.toReversed(), 'i-0123456789abcdef0']
    await withSource(awsKind, settings, async (source) => {
      const before = sent('DescribeInstances').length
      const servers = await source.getMany?.(
        ids.map((id) => referTo(id, region)),
        soon(),
      )
      assert.equal(sent('DescribeInstances').length, before + 1)
      assert.equal(servers?.[1], undefined)
      const found = await source.getMany?.(
        wanted.map((id) => referTo(id, region)),
        soon(),
      )
      assert.deepEqual(
        found?.map((server) => server && 'facts' in server && server.facts.external_id),
        [ids[2], undefined, ids[0], undefined],
      )
      assert.deepEqual(found?.[0], await source.get(referTo(ids[2] ?? '', region), soon()))
    })
  })

  test('reads instances without the optional permissions, and names those', async () => {
    const optional = ['ec2:DescribeInstanceAttribute', 'ec2:DescribeSpotInstanceRequests']
    const actions = actionsOf(awsKind.rights).filter((action) => !optional.includes(action))
    const at = settingsAt(proxy.url, await fleet.makeKey('modest', actions))
    // moto does not name the request of a Spot Instance.
    const change = (body: string) =>
      body.replace(
        '<instanceId>',
        '<spotInstanceRequestId>sir-1</spotInstanceRequestId><instanceId>',
      )
    proxy.inject({ change }, ({ body }) => body.startsWith('Action=DescribeInstances&'))
    const denied: Forbidden[] = []
    let servers = 0
    await withSource(awsKind, at, async (source) => {
      for await (const page of source.scan(soon())) {
        servers += page.present.length
        if (page.forbidden) denied.push(page.forbidden)
      }
    })
    proxy.clear()
    assert.deepEqual(denied, [
      { permission: optional[0], servers },
      { permission: optional[1], servers: 1 },
    ])
  })

  test('notes that a one-time Spot Instance does not survive a stop', async () => {
    const { SpotInstanceRequests } = await moto.order<{
      SpotInstanceRequests: { SpotInstanceRequestId: string; InstanceId: string }[]
    }>({
      call: 'request_spot_instances',
      with: {
        SpotPrice: '0.5',
        Type: 'one-time',
        LaunchSpecification: {
          ImageId: await fleet.findImage(region, 'Amazon Linux 2023'),
          InstanceType: 't3.micro',
        },
      },
    })
    const [spot] = SpotInstanceRequests
    assert.ok(spot)
    const { SpotInstanceRequestId: request, InstanceId: id } = spot
    const change = (body: string) =>
      body.replace(
        `<instanceId>${id}<`,
        `<spotInstanceRequestId>${request}</spotInstanceRequestId><instanceId>${id}<`,
      )
    proxy.inject({ change }, ({ body }) => body.startsWith('Action=DescribeInstances&'))
    const server = await until(id, 'running')
    proxy.clear()
    assert.match(server?.facts.notes?.['lost_on_stop'] ?? '', /one-time Spot Instance/)
  })
})
