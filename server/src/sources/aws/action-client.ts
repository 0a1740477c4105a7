import type { EC2 } from '@aws-sdk/client-ec2'
import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { toActionError } from '../shared/to-action-error.ts'
import { actionRefusal } from './action-refusal.ts'
import type { AwsSettings } from './aws-settings.ts'
import { createEc2Clients } from './region-client.ts'
import { isRegion } from './region-names.ts'

/** A request of the SDK. */
export type Request<Answer = unknown> = (
  ec2: EC2,
  options: { abortSignal: AbortSignal },
) => Promise<Answer>

/** EC2 in one region, without retries, until one signal. */
export interface ActionClient {
  /** Sends a request that changes nothing. */
  read<Answer>(request: Request<Answer>): Promise<Answer>
  /** Sends a request that changes something. */
  change(request: Request): Promise<void>
}

export async function createActionClients(
  settings: AwsSettings,
  http: HttpClient,
): Promise<(region: string, signal: AbortSignal) => ActionClient> {
  const ec2For = await createEc2Clients(settings, http, actionRefusal)
  return (region, signal) => {
    if (!isRegion(region))
      throw new SourceError('invalid-response', `${JSON.stringify(region)} is not a region.`)
    const ec2 = ec2For(region)
    const options = { abortSignal: signal }
    return {
      async read(request) {
        try {
          return await request(ec2, options)
        } catch (error) {
          const isUncertain = error instanceof ActionError && error.kind === 'outcome-unknown'
          // A reading that fails leaves nothing uncertain.
          throw isUncertain ? new ActionError('failed', error.message, { cause: error }) : error
        }
      },
      async change(request) {
        try {
          await request(ec2, options)
        } catch (error) {
          throw toActionError(error, `EC2 in ${region}`)
        }
      },
    }
  }
}
