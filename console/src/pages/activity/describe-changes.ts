import type { EventDto } from '@muster/contract'

export interface Change {
  readonly name: string
  /** Empty if there was no value. */
  readonly before: string
  readonly after: string
}

const isNothing = (value: unknown) => value === null || value === undefined || value === ''

function toText(value: unknown): string {
  if (isNothing(value)) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The changes as texts, without empty ones. */
export function describeChanges(changes: EventDto['changes']): readonly Change[] {
  return Object.entries(changes)
    .map(([name, [before, after]]) => ({ name, before: toText(before), after: toText(after) }))
    .filter(({ before, after }) => before !== '' || after !== '')
}

const longest = 80

/** Whether the changes fit into a table row. */
export function isBrief(changes: readonly Change[]): boolean {
  const length = changes.reduce(
    (sum, { name, before, after }) => sum + name.length + before.length + after.length,
    0,
  )
  return changes.length <= 2 && length <= longest
}
