import type { ErrorBody, SessionDto } from '@muster/contract'

export interface BrowserAnswer<Body = ErrorBody> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
}

interface Options {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Left out, the one of the session. */
  readonly csrf?: string | undefined
  readonly signal?: AbortSignal
}

/** What a browser does with a gateway: keeps its cookies, says where it is, sends what it was told to. */
export function createBrowser(url: string) {
  const cookies = new Map<string, string>()
  let csrf: string | undefined

  function keep(headers: Headers): void {
    for (const text of headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split('; ')
      const name = pair.slice(0, pair.indexOf('='))
      if (attributes.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, pair.slice(name.length + 1))
    }
  }

  const headersOf = ({ method = 'GET', headers, body, csrf: given = csrf }: Options) => {
    const isChange = method !== 'GET' && method !== 'HEAD'
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    return {
      'sec-fetch-site': 'same-origin',
      ...(cookie !== '' && { cookie }),
      ...(isChange && { origin: url }),
      ...(isChange && given !== undefined && { 'x-csrf-token': given }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
  }

  async function fetchRaw(path: string, options: Options = {}): Promise<Response> {
    const { method = 'GET', body, signal } = options
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: headersOf(options),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    keep(response.headers)
    return response
  }

  async function ask<Body = ErrorBody>(
    path: string,
    options?: Options,
  ): Promise<BrowserAnswer<Body>> {
    const response = await fetchRaw(path, options)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as Body
    const { session } = (body ?? {}) as { session?: SessionDto }
    if (session) csrf = session.csrf_token
    return { status: response.status, headers: response.headers, text, body }
  }

  return {
    url,
    cookies,
    fetchRaw,
    ask,
    headersOf,
    csrf: () => csrf,
    async logIn(name: string, password: string, more = {}): Promise<SessionDto> {
      const body = { name, password, ...more }
      const answer = await ask<{ session: SessionDto }>('/api/session', { method: 'POST', body })
      if (answer.status !== 201) throw new Error(`no login: ${answer.status} ${answer.text}`)
      return answer.body.session
    },
  }
}
export type Browser = ReturnType<typeof createBrowser>
