import type { EventRecord } from './event.ts'
import { renderEvent } from './render-event.ts'

/** Facility 13 (log audit), with the severity of the result: warning or informational. */
const priority = (event: EventRecord) => 13 * 8 + (event.result === 'success' ? 6 : 4)

/** Printable ASCII without spaces, as RFC 5424 requires for names; `-` if empty. */
const name = (text: string, maxLength: number) =>
  text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, maxLength) || '-'

/** A parameter of the structured data. Control characters could end a line in the receiver's log. */
function parameter(key: string, text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return ` ${key}="${plain.replaceAll(/["\\\]]/g, String.raw`\$&`)}"`
}

/**
 * An event in the format of RFC 5424, with the whole event as JSON in the message. 32473 is the enterprise
 * number for examples: Muster has none of its own.
 */
export function renderSyslogMessage(event: EventRecord, hostname: string): string {
  const { time, ...rest } = renderEvent(event)
  const data = (['id', 'action', 'target_type', 'target_id', 'user', 'ip', 'result'] as const)
    .map((key) => parameter(key, rest[key]))
    .join('')
  const head = `<${priority(event)}>1 ${time} ${name(hostname, 255)} muster - ${name(event.action, 32)}`
  const json = JSON.stringify({ time, ...rest }).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escape)
  return `${head} [muster@32473${data}] ${json}`
}

const escape = (found: string) => String.raw`\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
