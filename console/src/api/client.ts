import type { ErrorBody } from '@muster/contract'
import { cookieSession, createPageClient, pollHeader } from '@muster/sdk'
import { requestCode } from './code-request.ts'

/** The largest page that the API returns. */
export const maxPageSize = 2048

const idleAfter = 60_000
let lastInputAt = Date.now()
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(event, () => (lastInputAt = Date.now()), { capture: true, passive: true })
}

interface RequestListener {
  /** A request for data was sent. The returned function is called when it ends. */
  readonly onRead: () => () => void
  readonly onAnswer: (startedAt: number) => void
  /** A server error, or no response of the API. */
  readonly onFailure: () => void
}
let listener: RequestListener | undefined

/** Reports whether each request got a response. The only listener is the connection monitor. */
export function listenToRequests(next: RequestListener): void {
  listener = next
}

/** A web page is the response of a proxy or of a network login. */
const isFromApi = ({ status, headers }: Response): boolean =>
  status < 500 && headers.get('content-type')?.startsWith('text/html') !== true

/** Polling while nobody uses the page must not keep the session alive, so it is marked. */
async function sendOnce(address: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const isUserIdle = Date.now() - lastInputAt > idleAfter
  const headers = new Headers(init?.headers)
  if (isUserIdle) headers.set(pollHeader, '1')
  const startedAt = Date.now()
  // Changes may take long, for example a test of a connection.
  const endRead = init?.method === 'GET' ? listener?.onRead() : undefined
  try {
    const response = await fetch(address, { ...init, headers })
    if (isFromApi(response)) listener?.onAnswer(startedAt)
    else listener?.onFailure()
    return response
  } catch (error) {
    if (init?.signal?.aborted !== true) listener?.onFailure()
    throw error
  } finally {
    endRead?.()
  }
}

/** Whether a change was refused until the user sends a code of a second factor. */
async function needsCode(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Partial<ErrorBody>
  return body.class === 'FactorRequiredError' && body.values?.['reason'] === 'verify'
}

/** Asks for a code if a change needs one, and repeats the change once. */
async function sendRequest(address: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await sendOnce(address, init)
  if (init?.method === 'GET' || !(await needsCode(response))) return response
  return (await requestCode()) ? await sendOnce(address, init) : response
}

/**
 * The public API through the gateway. The browser has a cookie, never a token. The cache of queries repeats
 * requests, and shows that it does.
 */
export const api = createPageClient({ auth: cookieSession(), fetch: sendRequest })
