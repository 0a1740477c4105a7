const algorithm = 'AWS4-HMAC-SHA256'
const location = 'muster'
const text = new TextEncoder()

const toHex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const sha256 = async (content: string): Promise<string> =>
  toHex(await crypto.subtle.digest('SHA-256', text.encode(content)))

async function hmac(
  key: ArrayBuffer | Uint8Array<ArrayBuffer>,
  content: string,
): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey(
    'raw',
    key,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return await crypto.subtle.sign('HMAC', imported, text.encode(content))
}

interface Signer {
  readonly accessKey: string
  readonly secret: string
  /** The host and port of the login request. */
  readonly host: string
  readonly now: Date
}

/**
 * Signs a login with an access key, for one host, one time and one use. The secret never leaves the
 * client.
 */
export async function signLogin({ accessKey, secret, host, now }: Signer): Promise<string> {
  const date = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const headers = {
    host,
    'x-amz-content-sha256': await sha256(''),
    'x-amz-date': date,
    'x-muster-nonce': crypto.randomUUID(),
  }
  const names = Object.keys(headers)
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
  const canonical = [
    'POST',
    '/v3/auth/tokens',
    '',
    ...lines,
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n')

  const chain = [date.slice(0, 8), location, 's3', 'aws4_request']
  const request = [algorithm, date, chain.join('/'), await sha256(canonical)].join('\n')
  let key: ArrayBuffer | Uint8Array<ArrayBuffer> = text.encode(`AWS4${secret}`)
  for (const step of chain) key = await hmac(key, step)
  return JSON.stringify({
    access_key: accessKey,
    algorithm,
    location,
    request,
    sign_date: now.toISOString().replace(/\d{3}Z$/, '000000Z'),
    signature: toHex(await hmac(key, request)),
    signed_headers: names,
    headers,
  })
}
