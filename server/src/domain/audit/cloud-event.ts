import type { EventRecord } from './event.ts'
import { renderEvent } from './render-event.ts'

export const cloudEventType = 'application/cloudevents+json; charset=UTF-8'

/** An event in the JSON format of CloudEvents 1.0. `source` is the address of this Muster. */
export function renderCloudEvent(event: EventRecord, source: string): string {
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
