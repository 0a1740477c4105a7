import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface RawExchange {
  /** The raw response bytes. */
  readonly text: string
  /** The parsed responses, in order. */
  readonly answers: readonly RawResponse[]
  /** Whether the server closed the connection within the time limit. */
  readonly closed: boolean
}

interface Options {
  /** The time limit for the server to close the connection, in milliseconds. */
  readonly patience?: number
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // A server that refuses a request may reset the connection. The response before that counts.
  socket.on('error', () => {})
  return socket
}

/** Reads from a connection until the server closes it, or the time limit. */
export async function listen(socket: Socket, { patience = 5_000 }: Options = {}) {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closing = AbortSignal.timeout(patience)
  const closed = await once(socket, 'close', { signal: closing }).then(
    () => true,
    () => false,
  )
  socket.destroy()
  const text = Buffer.concat(chunks).toString('latin1')
  return { text, answers: parseAnswers(text), closed } satisfies RawExchange
}

/** Sends raw bytes that no client library would send, and returns the responses. */
export async function sendRaw(
  url: string,
  payload: string | Uint8Array,
  options?: Options,
): Promise<RawExchange> {
  const socket = openSocket(url)
  socket.write(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload)
  return await listen(socket, options)
}

/** Sends one raw request, returns its response and closes the connection. */
export async function askRaw(
  url: string,
  head: readonly string[],
  body = '',
): Promise<RawResponse> {
  const request = [...head, 'Connection: close', '', body].join('\r\n')
  const { answers, text } = await sendRaw(url, request)
  const [answer] = answers
  if (!answer) throw new Error(`no answer, only ${JSON.stringify(text)}`)
  return answer
}

function parseAnswers(text: string): RawResponse[] {
  const answers: RawResponse[] = []
  let rest = text
  while (rest.startsWith('HTTP/')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = Number(headers['content-length'] ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    answers.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: Buffer.from(body, 'latin1').toString('utf8'),
    })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
