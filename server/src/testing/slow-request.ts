import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openSocket } from './raw-socket.ts'
import type { Lifetime } from './spawn-muster.ts'

const pollPeriod = 20

/** A connection on which a test says every byte itself, at the time of its choice. */
export async function openConnection(lifetime: Lifetime, url: string) {
  const socket = openSocket(url)
  lifetime.after(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  const closed = once(socket, 'close').then(() => received)
  await once(socket, 'connect')
  return {
    closed,
    send: (text: string) => socket.write(text, 'latin1'),
    async receive(text: string): Promise<void> {
      while (!received.includes(text)) {
        if (socket.destroyed) throw new Error(`closed without "${text}": ${received}`)
        await pause(pollPeriod)
      }
    },
  }
}

/** A request that the server has begun to work on and that waits for its body. */
export async function openSlowRequest(
  lifetime: Lifetime,
  url: string,
  { path, body }: { path: string; body: string },
) {
  const connection = await openConnection(lifetime, url)
  connection.send(
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      '',
    ].join('\r\n'),
  )
  // By this word the server says that it has read the headers.
  await connection.receive('100 Continue')
  return {
    /** Sends the body, and returns the answer once the server has ended the connection. */
    async finish(): Promise<string> {
      connection.send(body)
      const answer = await connection.closed
      return answer.slice(answer.indexOf('\r\n\r\n') + 4)
    },
  }
}

/** Whether anything listens at this address. */
async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Waits until nothing listens there any more; the patience is a bound, not a measure. */
export async function untilRefused(url: string, patience = 8_000): Promise<void> {
  const end = performance.now() + patience
  while (await isListening(url)) {
    if (performance.now() > end) throw new Error(`${url} still listens`)
    await pause(pollPeriod)
  }
}
