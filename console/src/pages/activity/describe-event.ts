import type { EventDto, ServerAction } from '@muster/contract'
import type { Messages } from '../../messages/en/index.ts'
import { describeChanges, type ChangeWords } from '../../servers/describe-changes.ts'
import type { FieldChange } from '../../servers/describe-items.ts'

/** What was done, or was to be done, in words. */
export const actionText = ({ activity, actions }: Messages, action: string): string =>
  activity.actions[action] ?? actions.names[action as ServerAction] ?? action

const isNothing = (value: unknown) => value === null || value === undefined || value === ''
/** In seconds. */
const durations: ReadonlySet<string> = new Set(['period', 'request_timeout', 'grace'])
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function toText(value: unknown, { messages, format, projectName }: ChangeWords, key: string) {
  if (isNothing(value)) return undefined
  if (typeof value === 'boolean') return value ? messages.common.yes : messages.common.no
  if (typeof value === 'number') {
    return durations.has(key) ? format.span(value, true) : format.number(value)
  }
  if (typeof value === 'string') {
    if (timestamp.test(value)) return format.dateTime(value)
    return key === 'project_id' ? projectName(value) : value
  }
  // A member of a group, a policy or a role that is granted.
  const { name, role } = value as { readonly name?: unknown; readonly role?: unknown }
  const named = name ?? role
  return typeof named === 'string' ? named : JSON.stringify(value)
}

/** The changes as texts, without empty ones and without ids that the console links. */
export function describeEvent(
  { target_type, changes }: Pick<EventDto, 'target_type' | 'changes'>,
  words: ChangeWords,
): readonly FieldChange[] {
  const { task_id: _, task_status: __, ...shown } = changes
  if (target_type === 'server') return describeChanges(shown, words)
  const { fields } = words.messages.activity
  return Object.entries(shown)
    .map(([key, [before, after]]) => ({
      key,
      label: fields[key] ?? key.replaceAll('_', ' '),
      before: toText(before, words, key),
      after: toText(after, words, key),
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
