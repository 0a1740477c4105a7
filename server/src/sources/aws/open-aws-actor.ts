import { ActionError, type ServerActor, type SourceCall } from '../../domain/sources/action-port.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { createActionClients, type Request } from './action-client.ts'
import { readAwsSettings } from './aws-settings.ts'
import { findAllowed } from './find-allowed.ts'
import { prepareVolumes } from './prepare-volumes.ts'
import { defaultRegion } from './region-names.ts'
import { updateRequests } from './update-requests.ts'

const unsupported = (message: string) => new ActionError('unsupported', message)

/** The request of an action that takes one. */
function requestOf(call: SourceCall, id: string): Request {
  const ids = { InstanceIds: [id] }
  switch (call.kind) {
    case 'start':
      return (ec2, options) => ec2.startInstances(ids, options)
    case 'stop':
      return (ec2, options) => ec2.stopInstances({ ...ids, Force: call.isForced }, options)
    case 'restart':
      // EC2 switches the instance off and on if the guest does not react within minutes.
      return (ec2, options) => ec2.rebootInstances(ids, options)
    case 'delete':
      return (ec2, options) => ec2.terminateInstances(ids, options)
    case 'resize': {
      const { instance_type: Value, ...others } = call.size
      if (Value === undefined || Object.keys(others).length > 0)
        throw unsupported('EC2 changes the size of an instance by its instance_type only.')
      return (ec2, options) =>
        ec2.modifyInstanceAttribute({ InstanceId: id, InstanceType: { Value } }, options)
    }
    case 'update':
    case 'reset':
    case 'suspend':
    case 'resume':
    case 'confirm-resize':
      throw unsupported(`EC2 has no ${call.kind}.`)
  }
}

/** Opens a connection that may change instances. It sends no request until the first action. */
export async function openAwsActor(
  settings: SourceSettings,
  context: SourceContext,
): Promise<ServerActor> {
  const aws = readAwsSettings(settings)
  const http = createHttpClient(context, { ...aws.tls, sendsOnce: true })
  const clientFor = await createActionClients(aws, http)

  async function findRegions(signal: AbortSignal): Promise<readonly string[]> {
    if (aws.regions.length > 0) return aws.regions
    const { Regions = [] } = await clientFor(defaultRegion, signal).read((ec2, options) =>
      ec2.describeRegions({}, options),
    )
    return Regions.flatMap(({ RegionName }) => RegionName ?? [])
  }

  /** Any instance of the account, and its region. */
  async function findAny(signal: AbortSignal) {
    for (const region of await findRegions(signal)) {
      const client = clientFor(region, signal)
      const { Reservations = [] } = await client.read((ec2, options) =>
        ec2.describeInstances({ MaxResults: 5 }, options),
      )
      const id = Reservations[0]?.Instances?.[0]?.InstanceId
      if (id !== undefined) return { client, id }
    }
    return undefined
  }

  return {
    async act(call, { externalId: id, regionId }, signal) {
      const client = clientFor(regionId, signal)
      if (call.kind === 'update') {
        for (const request of updateRequests(call.changes, id)) await client.change(request)
        return
      }
      const request = requestOf(call, id)
      if (call.kind === 'delete') await prepareVolumes(client, { id, signal }, call.disks)
      await client.change(request)
    },

    async allowed(signal) {
      const any = await findAny(signal)
      // Without an instance, EC2 does not say what the key may do.
      return any ? await findAllowed(any.client, any.id) : {}
    },

    async close() {
      http.close()
    },
  }
}
