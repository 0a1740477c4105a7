import type { EventDto } from '@muster/contract'

/** A change is committed with its event, or shortly after it. */
const nearby = 5_000

const sameValues = (one: EventDto['changes'], other: EventDto['changes']): boolean =>
  Object.entries(one).every(([field, values]) => {
    const { [field]: others } = other
    return others !== undefined && JSON.stringify(others) === JSON.stringify(values)
  })

/**
 * The history has what somebody did as an event and, because it changed the server, as a change. Leaves out
 * events that say nothing more than such a change.
 */
export function withoutRepeats(events: readonly EventDto[]): readonly EventDto[] {
  const changes = events.filter(({ record }) => record === 'change')
  return events.filter(
    (event) =>
      event.record === 'change' ||
      event.action !== 'update' ||
      event.result !== 'success' ||
      !changes.some(
        (change) =>
          change.user_id === event.user_id &&
          Math.abs(Date.parse(change.time) - Date.parse(event.time)) < nearby &&
          sameValues(event.changes, change.changes),
      ),
  )
}
