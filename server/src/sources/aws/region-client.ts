import type { EC2 } from '@aws-sdk/client-ec2'
import { setTimeout as pause } from 'node:timers/promises'
import { abortedError } from '../../domain/sources/deadline.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { Egress, SourceContext } from '../../domain/sources/source.ts'
import { TransientError, UnparsedResponse } from './response-error.ts'
import type { AwsSettings } from './aws-settings.ts'
import { createRequestHandler } from './request-handler.ts'

const attempts = 3
const firstDelay = 100

/** A client of EC2 in one region, with rate limit and retries. */
export interface RegionClient {
  readonly region: string
  call<Answer>(
    request: (ec2: EC2, options: { abortSignal: AbortSignal }) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer>
  close(): void
}

/**
 * Sets every option that the SDK would otherwise read from the environment, files or instance
 * metadata.
 */
const configurationOf = (settings: AwsSettings, region: string) =>
  ({
    region,
    credentials: {
      accessKeyId: settings.accessKeyId,
      secretAccessKey: settings.secretAccessKey,
      ...(settings.sessionToken !== undefined && { sessionToken: settings.sessionToken }),
    },
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    defaultsMode: 'standard',
    retryMode: 'standard',
    maxAttempts: 1,
    authSchemePreference: [] as string[],
    disableClockSkewCorrection: false,
    userAgentAppId: 'muster',
  }) as const

/** Returns a factory of region clients. Loads the SDK on demand, because it is large. */
export async function createRegionClients(
  settings: AwsSettings,
  context: SourceContext,
  agents: ReturnType<Egress['createAgents']>,
): Promise<(region: string) => RegionClient> {
  const { EC2 } = await import('@aws-sdk/client-ec2')
  const requestHandler = createRequestHandler(agents, context.timeLimit)

  return (region) => {
    const ec2 = new EC2({ ...configurationOf(settings, region), requestHandler })
    return {
      region,
      close: () => ec2.destroy(),
      async call(request, signal) {
        for (let attempt = 1; ; attempt += 1) {
          if (signal.aborted) throw abortedError(signal, `EC2 in ${region}`)
          await context.throttle()
          try {
            return await request(ec2, { abortSignal: signal })
          } catch (error) {
            if (signal.aborted) continue
            if (!(error instanceof TransientError) || attempt === attempts) {
              throw toSourceError(error, region)
            }
            // Random jitter, so that retries of several accounts are spread out.
            const delay = firstDelay * 2 ** attempt * (0.5 + Math.random() / 2)
            await pause(delay, undefined, { signal }).catch(() => {})
          }
        }
      },
    }
  }
}

/** Converts errors of the SDK, which mean that it could not parse the response. */
function toSourceError(error: unknown, region: string): SourceError {
  if (error instanceof SourceError) return error
  const { $response: response } = error as { $response?: { body?: unknown } }
  if (error instanceof TypeError && response?.body instanceof Uint8Array) {
    const body = Buffer.from(response.body).toString('utf8')
    return new UnparsedResponse(`EC2 in ${region} sent a value that is not valid.`, body)
  }
  return new SourceError('invalid-response', `EC2 in ${region} sent an invalid response.`)
}
