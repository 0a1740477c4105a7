import type { EC2 } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpClient } from '../shared/http-client.ts'
import { withRetries } from '../shared/retry.ts'
import { UnparsedResponse } from './response-error.ts'
import type { AwsSettings } from './aws-settings.ts'
import { createRequestHandler, type ErrorOfResponse } from './request-handler.ts'

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

/** Returns a factory of the SDK's clients. Loads the SDK on demand, because it is large. */
export async function createEc2Clients(
  settings: AwsSettings,
  client: HttpClient,
  errorOf?: ErrorOfResponse,
): Promise<(region: string) => EC2> {
  const { EC2 } = await import('@aws-sdk/client-ec2')
  const requestHandler = createRequestHandler(client, errorOf)
  return (region) => new EC2({ ...configurationOf(settings, region), requestHandler })
}

/** Returns a factory of region clients. */
export async function createRegionClients(
  settings: AwsSettings,
  client: HttpClient,
): Promise<(region: string) => RegionClient> {
  const ec2For = await createEc2Clients(settings, client)
  return (region) => {
    const ec2 = ec2For(region)
    // All errors pass here, and only here their request is known.
    ec2.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (input) => {
          try {
            return await next(input)
          } catch (cause) {
            const error = toSourceError(cause, region)
            error.call = commandName.replace(/Command$/, '')
            throw error
          }
        },
      { step: 'initialize' },
    )
    return {
      region,
      close: () => ec2.destroy(),
      call: (request, signal) =>
        withRetries(() => request(ec2, { abortSignal: signal }), `EC2 in ${region}`, signal),
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
