import { listElements } from '../../server/src/sources/aws/list-elements.ts'
import { awsKind } from '../../server/src/sources/aws/aws-kind.ts'
import {
  startFaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { createFleet } from '../aws/fleet.ts'
import { startMoto } from '../aws/start.ts'
import type { Call, FaultyBackEnd, SourceServer } from './back-end.ts'
import { createHttpPort, cutElements, type CutList } from './http-port.ts'

const region = 'eu-west-1'
const otherRegion = 'us-east-1'

const statuses: Readonly<Record<string, string>> = {
  pending: 'starting',
  running: 'running',
  stopping: 'stopping',
  stopped: 'ready',
  'shutting-down': 'deleting',
}

interface Instance {
  readonly InstanceId: string
  readonly InstanceType: string
  readonly State: { readonly Name: string }
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[]
}

function callOf({ body, headers }: ProxiedRequest): Call {
  const form = new URLSearchParams(body)
  const action = form.get('Action') ?? ''
  const place = /Credential=[^/]+\/\d+\/([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  // One name for each attribute, because each is read and changed by a request of its own.
  const attribute =
    form.get('Attribute') ??
    [...form.keys()].map((key) => /^[A-Z]\w+(?=\.Value$)/.exec(key)?.[0]).find(Boolean)
  const isRegional = action !== 'DescribeRegions'
  return {
    name: [action, attribute, isRegional && place !== region ? place : '']
      .filter(Boolean)
      .join(' '),
    changes: !/^(?:Describe|Get)/.test(action) && form.get('DryRun') !== 'true',
    ...(isRegional && { place }),
    content: `${place} ${body}`,
  }
}

const cutList: CutList = (body, keep) => {
  const action = /<(\w+)Response/.exec(body)?.[1] ?? ''
  const list = listElements[action] ?? ''
  const [start, end] = [body.indexOf(`<${list}>`), body.lastIndexOf(`</${list}>`)]
  return list === '' || end < 0 ? undefined : cutElements(body, 'item', [start, end], keep)
}

/** EC2 as moto emulates it, with instances in two regions. */
export async function startFaultyEc2(lifetime: Lifetime): Promise<FaultyBackEnd> {
  const moto = await startMoto()
  const fleet = createFleet(moto)
  const proxy = await startFaultProxy(lifetime, { upstream: moto.url })
  for (const name of ['one', 'two']) await fleet.run({ name })
  const [first = ''] = await fleet.run({ name: 'three' })
  const [other = ''] = await fleet.run({ name: 'other', region: otherRegion })
  await fleet.run({ name: 'second other', region: otherRegion })
  // One instance in each reservation, so that half of a list has half of the instances.
  const split = (at: string) => moto.order({ region: at, call: 'split_reservations' })
  // Thousands of cells would make each scan longer than the last one.
  const forget = (at: string) => moto.order({ region: at, call: 'forget_terminated' })
  await split(region)
  await split(otherRegion)
  /** Instances of the other region, and the second volumes of instances. */
  const elsewhere = new Set<string>()
  const volumes = new Map<string, string>()

  return {
    port: createHttpPort(proxy, callOf, cutList),
    account: {
      provider: 'Aws',
      address: proxy.url,
      credentials: moto.key,
      options: { regions: [region, otherRegion] },
    },
    actions: awsKind.acting?.actions ?? [],
    otherSize: { instance_type: 'm5.large' },
    otherFields: { shutdown_behavior: 'terminate', disable_delete: false },
    isServerList: ({ name }) => name.startsWith('DescribeInstances'),
    async create(name, status) {
      await forget(region)
      const [id = ''] = await fleet.run({ name })
      if (status === 'ready') await fleet.change('stop_instances', id)
      return id
    },
    async createElsewhere(name) {
      await forget(otherRegion)
      const [id = ''] = await fleet.run({ name, region: otherRegion })
      elsewhere.add(id)
      return id
    },
    disks: {
      async create(name) {
        await forget(region)
        const [id = ''] = await fleet.run({ name })
        const { VolumeId } = await moto.order<{ VolumeId: string }>({
          call: 'create_volume',
          with: { AvailabilityZone: `${region}a`, Size: 4 },
        })
        const Device = '/dev/sdf'
        await moto.order({ call: 'attach_volume', with: { VolumeId, InstanceId: id, Device } })
        volumes.set(id, VolumeId)
        return id
      },
      async exists(id) {
        const { Volumes } = await moto.order<{ Volumes: { VolumeId: string }[] }>({
          call: 'describe_volumes',
        })
        return Volumes.some(({ VolumeId }) => VolumeId === volumes.get(id))
      },
    },
    remove: (id) =>
      fleet.change('terminate_instances', id, elsewhere.has(id) ? otherRegion : region),
    async renameOther(name, place) {
      const [at, id] = place === otherRegion ? [region, first] : [otherRegion, other]
      const Tags = [{ Key: 'Name', Value: name }]
      await moto.order({ region: at, call: 'create_tags', with: { Resources: [id], Tags } })
      return id
    },
    async servers() {
      const found = new Map<string, SourceServer>()
      for (const at of [region, otherRegion]) {
        const { Reservations } = await moto.order<{ Reservations: { Instances: Instance[] }[] }>({
          region: at,
          call: 'describe_instances',
        })
        for (const { InstanceId, InstanceType, State, Tags } of Reservations.flatMap(
          ({ Instances }) => Instances,
        )) {
          if (State.Name === 'terminated') continue
          found.set(InstanceId, {
            name: Tags?.find(({ Key }) => Key === 'Name')?.Value ?? '',
            status: statuses[State.Name] ?? State.Name,
            size: InstanceType,
          })
        }
      }
      return found
    },
    stop: () => moto.stop(),
  }
}
