import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createHmac } from 'node:crypto'
import { DeliveryError, type EventSink } from '../domain/audit/event-sink.ts'
import type { Clock } from '../domain/clock.ts'
import { connectionError } from '../domain/sources/connection-error.ts'
import { abortedError, deadline } from '../domain/sources/deadline.ts'
import type { Egress } from '../domain/sources/source.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import { renderEvent } from '../domain/audit/render-event.ts'

/** The headers of Standard Webhooks. During a rotation there is a signature for each of two keys. */
export function signWebhook(
  keys: readonly Uint8Array[],
  id: string,
  milliseconds: number,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(milliseconds / 1_000)
  const signed = `${id}.${seconds}.${body}`
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

const cloudEventType = 'application/cloudevents+json; charset=UTF-8'

/** An event in the JSON format of CloudEvents 1.0. `source` is the address of this Muster. */
function renderCloudEvent(event: EventRecord, source: string): string {
  const data = renderEvent(event)
  return JSON.stringify({
    specversion: '1.0',
    id: event.id,
    source,
    type: `muster.${event.target_type}.${event.action}`,
    ...(event.target_id !== '' && { subject: event.target_id }),
    time: data.time,
    datacontenttype: 'application/json',
    data,
  })
}

export interface WebhookOptions {
  readonly url: string
  /** The first signs; a second one during a rotation. */
  readonly keys: readonly Uint8Array[]
  readonly ca: string | undefined
  /** The address of this Muster. */
  readonly source: string
  readonly clock: Clock
  /** Milliseconds for one request. */
  readonly timeLimit?: number
}

const maxResponseSize = 65_536

/** Delivers each event in a POST request. Redirects are not followed. */
export function createWebhookSink(egress: Egress, options: WebhookOptions): EventSink {
  const { keys, ca, source, clock, timeLimit = 15_000 } = options
  const url = new URL(options.url)
  const agents = egress.createAgents(ca === undefined ? {} : { ca })
  const isSecure = url.protocol === 'https:'

  /** The status. Undefined if the receiver closed a connection just as it was reused. */
  async function post(id: string, body: string, signal: AbortSignal): Promise<number | undefined> {
    const outgoing = request(url, {
      method: 'POST',
      headers: {
        'user-agent': 'Muster',
        'content-type': cloudEventType,
        'content-length': Buffer.byteLength(body),
        ...signWebhook(keys, id, clock(), body),
      },
      // The address decides whether the connection is encrypted.
      agent: isSecure ? agents.https : agents.http,
      signal,
    })
    // Ignores further errors after the first.
    outgoing.on('error', () => {})
    outgoing.end(body)
    try {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      discard(incoming)
      return incoming.statusCode ?? 0
    } catch (error) {
      const isStale = outgoing.reusedSocket && (error as { code?: string }).code === 'ECONNRESET'
      if (isStale) return undefined
      throw error
    }
  }

  return {
    name: 'webhook',
    async send(event, stopping) {
      const signal = AbortSignal.any([stopping, deadline(timeLimit)])
      const body = renderCloudEvent(event, source)
      let status: number | undefined
      try {
        // A new connection is never stale, so this loop ends.
        while (status === undefined) status = await post(event.id, body, signal)
      } catch (error) {
        const failure = signal.aborted
          ? abortedError(signal, url.host)
          : connectionError(error, url.host)
        throw new DeliveryError(failure.message)
      }
      if (status >= 200 && status < 300) return status
      const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : ''
      throw new DeliveryError(`${url.host} answered with the status ${status}.${hint}`, status)
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** Reads a short body, so that the connection can be used again. A long one closes it. */
function discard(incoming: IncomingMessage): void {
  let size = 0
  incoming.on('error', () => {})
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxResponseSize) incoming.destroy()
  })
}
