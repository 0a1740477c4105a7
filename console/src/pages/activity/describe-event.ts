import type { EventDto } from '@muster/contract'
import { describeChanges, type ChangeWords } from '../../servers/describe-changes.ts'
import type { FieldChange } from '../../servers/describe-items.ts'

const isNothing = (value: unknown) => value === null || value === undefined || value === ''

function toText(value: unknown): string | undefined {
  if (isNothing(value)) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The changes as texts, without empty ones: those of servers in words, all others as in the API. */
export function describeEvent(
  { target_type, changes }: Pick<EventDto, 'target_type' | 'changes'>,
  words: ChangeWords,
): readonly FieldChange[] {
  if (target_type === 'server') return describeChanges(changes, words)
  return Object.entries(changes)
    .map(([key, [before, after]]) => ({
      key,
      label: key,
      before: toText(before),
      after: toText(after),
    }))
    .filter(({ before, after }) => before !== undefined || after !== undefined)
}

const longest = 80

/** Whether the changes fit into a table row. */
export function isBrief(changes: readonly FieldChange[]): boolean {
  const length = changes.reduce(
    (sum, { label, before = '', after = '' }) => sum + label.length + before.length + after.length,
    0,
  )
  return changes.length <= 2 && length <= longest
}
