import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import { post } from './server.ts'

export interface TimedResponse {
  /** Milliseconds from the request to the last byte. */
  readonly time: number
  readonly body: Buffer
  /** The marker of the next page. */
  readonly marker: string | undefined
}

/** Sends one request at a time over one connection and measures its duration. */
export function createTimedGet(url: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return async function timedGet(path: string): Promise<TimedResponse> {
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
export type TimedGet = ReturnType<typeof createTimedGet>

export const readTotal = ({ body }: TimedResponse) =>
  (JSON.parse(body.toString()) as { total: number }).total

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Changes a server, so that all caches of the whole fleet become invalid. */
export function createChangeServer(url: string, token: string, serverId: string) {
  let count = 0
  return async function changeServer(): Promise<void> {
    count += 1
    const body = JSON.stringify({ metadata: { bench: String(count) } })
    const response = await post(url, `/servers/${serverId}/metadata`, body, token)
    if (!response.ok) throw new Error(`a server could not be changed: ${response.status}`)
    await response.arrayBuffer()
  }
}
export type ChangeServer = ReturnType<typeof createChangeServer>
