import { randomBytes } from 'node:crypto'
import type { EventDto } from '@muster/contract'

/** A row of the audit log. */
export interface EventRecord extends Omit<EventDto, 'time'> {
  readonly time: number
}

/** Values before and after, by field. */
export type Changes = EventDto['changes']

const timeDigits = 12
let lastTime = 0
let count = 0

/** The start of an event's id. Ids sort by time, so a range of time is a range of ids. */
export const timePart = (time: number): string =>
  Math.max(time, 0).toString(16).padStart(timeDigits, '0')

/** Ids of one process sort in order of creation, also within a millisecond. */
export function newEventId(time: number): string {
  count = time === lastTime ? count + 1 : 0
  lastTime = time
  return timePart(time) + count.toString(16).padStart(4, '0') + randomBytes(8).toString('hex')
}
