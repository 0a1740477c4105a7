import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import { post } from './server.ts'

export interface Answer {
  /** Milliseconds from asking to the last byte. */
  readonly time: number
  readonly body: Buffer
  /** What leads to the next page. */
  readonly marker: string | undefined
}

/** Asks one thing at a time over one connection, and looks how long it takes. */
export function createAsk(url: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async function ask(path: string): Promise<Answer> {
    const begin = performance.now()
    const asked = send(url + path, { agent, headers: { 'x-auth-token': token } })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const time = performance.now() - begin
    const body = Buffer.concat(chunks)
    if (response.statusCode !== 200) throw new Error(`${path}: ${body.toString()}`)
    const [, marker] = /[?&]marker=([^&>]+)>/.exec(String(response.headers['link'])) ?? []
    return { time, body, marker }
  }
}
export type Ask = ReturnType<typeof createAsk>

export const readTotal = ({ body }: Answer) =>
  (JSON.parse(body.toString()) as { total: number }).total

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Changes a server, so that nothing that is remembered of the whole fleet counts any more. */
export function createTouch(url: string, token: string, serverId: string) {
  let count = 0
  return async function touch(): Promise<void> {
    count += 1
    const body = JSON.stringify({ metadata: { bench: String(count) } })
    const response = await post(url, `/servers/${serverId}/metadata`, body, token)
    if (!response.ok) throw new Error(`a server could not be changed: ${response.status}`)
    await response.arrayBuffer()
  }
}
export type Touch = ReturnType<typeof createTouch>
