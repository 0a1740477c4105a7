import { createHash, createHmac } from 'node:crypto'

type Headers = Readonly<Record<string, string>>

interface Signer {
  readonly accessKey: string
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** The host, with its port, that the login is for. */
  readonly host: string
  readonly location?: string
  /** Overrides with which a signature must be rejected. */
  readonly method?: string
  readonly path?: string
  readonly service?: string
  readonly day?: string
  readonly headers?: Headers
}

const algorithm = 'AWS4-HMAC-SHA256'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** `access_key_secret` as Cloudpods' command line sends it. */
export function signLikeCloudpods(signer: Signer): string {
  const { accessKey, now, location = 'cn-beijing' } = signer
  // What it hashes is the body that it would send if that could go unsigned.
  const unsigned = JSON.stringify({ access_key: accessKey, algorithm, location })
  const identity = { access_key_secret: unsigned, methods: ['aksk'] }
  const body = JSON.stringify({ auth: { context: { source: 'cli' }, identity } })
  const date = new Date(now).toUTCString().replace('GMT', 'UTC')
  const headers = { date, ...commonHeaders(signer, sha256(body)) }
  return JSON.stringify(sign({ ...signer, location }, headers))
}

/** `access_key_secret` in Muster's own form, which contains all signed values. */
export function signLikeMuster(signer: Signer & { readonly nonce: string }): string {
  const { nonce, location = 'muster' } = signer
  const headers = {
    ...commonHeaders(signer, sha256('')),
    'x-muster-nonce': nonce,
    ...signer.headers,
  }
  return JSON.stringify({ ...sign({ ...signer, location }, headers), headers })
}

const commonHeaders = ({ host, now }: Signer, contentHash: string) => ({
  host,
  'x-amz-content-sha256': contentHash,
  'x-amz-date': compact(now),
})

const compact = (now: number) => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** The headers come in the order of their names. */
function sign(signer: Signer & { readonly location: string }, headers: Headers) {
  const { accessKey, secret, now, location } = signer
  const { method = 'POST', path = '/v3/auth/tokens', service = 's3' } = signer
  const { day = compact(now).slice(0, 8) } = signer
  const names = Object.keys(headers)
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const contentHash = headers['x-amz-content-sha256'] ?? ''
  const canonical = [method, path, '', lines.join(''), names.join(';'), contentHash].join('\n')

  const chain = [day, location, service, 'aws4_request']
  const request = [algorithm, compact(now), chain.join('/'), sha256(canonical)].join('\n')
  const key = chain.reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return {
    access_key: accessKey,
    algorithm,
    location,
    request,
    sign_date: new Date(now).toISOString().replace(/\d{3}Z$/, '000000Z'),
    signature: hmac(key, request).toString('hex'),
    signed_headers: names,
  }
}
