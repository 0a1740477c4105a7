import { createHmac } from 'node:crypto'

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
