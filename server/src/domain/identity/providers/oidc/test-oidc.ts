import { genericGrantRequest } from 'openid-client'
import { OptionError, type Check } from '../../provider-driver.ts'
import {
  acceptedKeys,
  authenticationName,
  type OidcOptions,
  type OidcServers,
} from './oidc-servers.ts'

/** openid-client compares the issuer after it has read the metadata. */
const otherIssuer = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

/** What a person can correct: the error of the connection, or what is wrong with the response. */
function describe(error: unknown): Error {
  const { name, message, cause } = error as Error
  if (name !== 'ClientError') return error as Error
  if (cause instanceof Error) return new Error(cause.message, { cause })
  return new Error(cause instanceof Response ? `${message} (${cause.status})` : message)
}

/** Checks who signs tokens. Returns what the provider says about itself; undefined if a check failed. */
export async function testIssuer(
  { discover }: OidcServers,
  options: OidcOptions,
  check: Check,
  deadline: number,
) {
  const { issuer } = options
  let mismatch: unknown
  const discovery = await check('discovery', 'issuer', async () => {
    const found = 'the provider describes itself'
    try {
      return { found, value: await discover(options, deadline) }
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== otherIssuer) throw describe(error)
      mismatch = error
      return { found, value: undefined }
    }
  })
  if (!discovery) return undefined
  const provider = discovery.value
  await check('issuer', 'issuer', async () => {
    if (!provider) throw describe(mismatch)
    return { found: issuer, value: undefined }
  })
  if (!provider) return undefined
  const { metadata, keys } = provider
  await check('keys', 'issuer', async () => {
    await keys.reload().catch((error: unknown) => {
      throw describe(error)
    })
    const count = acceptedKeys(keys.jwks())
    if (count === 0) throw new Error('the provider has no key whose signatures Muster accepts')
    return { found: `${count} ${count === 1 ? 'key' : 'keys'} for signatures`, value: undefined }
  })
  return metadata
}

/** What a provider answers to a client that it does not know, or whose secret is wrong. */
const unknownClient: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client'])

/** Sends a code that nobody has. The provider checks the client first, and refuses the code only if that is right. */
async function requireClient(
  { configure }: OidcServers,
  options: OidcOptions,
  deadline: number,
): Promise<void> {
  const { configuration } = await configure(options, deadline)
  const code = { code: 'none', redirect_uri: 'https://muster.invalid/', code_verifier: noVerifier }
  const refusal: unknown = await genericGrantRequest(
    configuration,
    'authorization_code',
    code,
  ).then(
    () => new Error('the provider accepted a code that nobody has'),
    (error: unknown) => error,
  )
  const { error, status } = refusal as { readonly error?: unknown; readonly status?: unknown }
  if (unknownClient.has(error) || status === 401) {
    const option = options.client_secret === '' ? 'client_id' : 'client_secret'
    throw new OptionError(option, 'the provider refuses client_id with this client_secret')
  }
  if (typeof error !== 'string') throw describe(refusal)
}
const noVerifier = 'x'.repeat(43)

/** Checks the settings of an OpenID provider as a login uses them. */
export async function testOidc(
  servers: OidcServers,
  options: OidcOptions,
  check: Check,
  deadline: number,
): Promise<void> {
  const { client_secret } = options
  const metadata = await testIssuer(servers, options, check, deadline)
  if (!metadata) return
  await check('token_endpoint', 'client_secret', async () => {
    const missing = (['authorization_endpoint', 'token_endpoint'] as const).find(
      (name) => metadata[name] === undefined,
    )
    if (missing !== undefined) {
      throw new OptionError('issuer', `the provider names no ${missing}`)
    }
    const method = authenticationName(metadata, client_secret)
    const methods = metadata.token_endpoint_auth_methods_supported ?? [method]
    if (client_secret !== '' && !methods.includes(method)) {
      throw new Error(`the provider accepts ${methods.join(', ')}, and Muster sends ${method}`)
    }
    await requireClient(servers, options, deadline)
    return { found: `the provider knows the client, by ${method}`, value: undefined }
  })
}
