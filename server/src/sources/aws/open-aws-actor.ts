import { setTimeout as pause } from 'node:timers/promises'
import { ActionError, type ServerActor } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerReference, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { createHttpClient } from '../shared/http-client.ts'
import { toActionError, toPlanError } from '../shared/to-action-error.ts'
import { actionRefusal } from './action-refusal.ts'
import { isDone, planRequests, toEc2Request } from './action-requests.ts'
import { readAwsSettings } from './aws-settings.ts'
import { findAllowed } from './find-allowed.ts'
import { createEc2Clients, createRegionClients } from './region-client.ts'
import { defaultRegion, isRegion } from './region-names.ts'

/** Milliseconds between two readings of a volume. */
const interval = 500

/** Opens a connection that may change instances. It sends no request until the first action. */
export async function openAwsActor(
  settings: SourceSettings,
  context: SourceContext,
): Promise<ServerActor> {
  const aws = readAwsSettings(settings)
  const reading = createHttpClient(context, aws.tls)
  const changing = createHttpClient(context, { ...aws.tls, sendsOnce: true })
  const readerFor = await createRegionClients(aws, reading)
  const ec2For = await createEc2Clients(aws, changing, actionRefusal)

  function instanceAt({ externalId: id, regionId }: ServerReference, signal: AbortSignal) {
    if (!isRegion(regionId))
      throw new SourceError('invalid-response', `${JSON.stringify(regionId)} is not a region.`)
    return { id, client: readerFor(regionId), signal }
  }

  async function findRegions(signal: AbortSignal): Promise<readonly string[]> {
    if (aws.regions.length > 0) return aws.regions
    const { Regions = [] } = await readerFor(defaultRegion).call(
      (ec2, options) => ec2.describeRegions({}, options),
      signal,
    )
    return Regions.flatMap(({ RegionName }) => RegionName ?? [])
  }

  /** Any instance of the account, and its region. */
  async function findAny(signal: AbortSignal) {
    for (const region of await findRegions(signal)) {
      const { Reservations = [] } = await readerFor(region).call(
        (ec2, options) => ec2.describeInstances({ MaxResults: 5 }, options),
        signal,
      )
      const id = Reservations[0]?.Instances?.[0]?.InstanceId
      if (id !== undefined) return { region, id }
    }
    return undefined
  }

  const plan: ServerActor['plan'] = async (call, reference, signal) => {
    try {
      return await planRequests(call, instanceAt(reference, signal))
    } catch (error) {
      throw toPlanError(error)
    }
  }

  const send: ServerActor['send'] = async (request, reference, signal) => {
    const instance = instanceAt(reference, signal)
    const { region } = instance.client
    try {
      await toEc2Request(request, instance.id)(ec2For(region), { abortSignal: signal })
    } catch (error) {
      throw toActionError(error, `EC2 in ${region}`, request.name)
    }
    // EC2 shows it with a delay. An instance that is terminated before loses volumes that are to be kept.
    while (request.target !== undefined) {
      if (await isDone(request, instance).catch(() => false)) return
      await pause(interval, undefined, { signal }).catch(() => {
        const message = `EC2 in ${region} accepted ${request.name} for ${request.target}, and does not show it.`
        throw new ActionError('outcome-unknown', message, { isAnswer: false })
      })
    }
  }

  return {
    plan,
    send,
    check: async (request, reference, signal) =>
      await isDone(request, instanceAt(reference, signal)).catch((error: unknown) => {
        if (error instanceof ActionError && error.kind === 'not-found') return undefined
        throw error
      }),

    async allowed(signal) {
      const any = await findAny(signal)
      // Without an instance, EC2 does not say what the key may do.
      if (!any) return {}
      const ec2 = ec2For(any.region)
      return await findAllowed((request) => request(ec2, { abortSignal: signal }), any.id)
    },

    async close() {
      reading.close()
      changing.close()
    },
  }
}
