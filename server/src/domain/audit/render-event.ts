import type { EventDto } from '@muster/contract'
import { timestamp } from '../timestamp.ts'
import type { EventRecord } from './event.ts'

/** An event as clients and receivers see it. */
export const renderEvent = (event: EventRecord): EventDto => ({
  ...event,
  time: timestamp(event.time),
})
