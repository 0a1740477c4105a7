import type { EventDto, ServerAction, TaskParameters } from '@muster/contract'
import { describeParameters } from '../../actions/describe-parameters.ts'
import type { Messages } from '../../messages/en/index.ts'
import { describeChanges, type ChangeWords } from '../../servers/describe-changes.ts'
import type { FieldChange } from '../../servers/describe-items.ts'

/** What was done, or was to be done, in words. */
export const actionText = ({ activity, actions }: Messages, action: string): string =>
  activity.actions[action] ?? actions.names[action as ServerAction] ?? action

const isNothing = (value: unknown) => value === null || value === undefined || value === ''
/** In seconds. */
const durations: ReadonlySet<string> = new Set(['period', 'request_timeout', 'grace'])
const parameter = 'params.'
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function toText(value: unknown, { messages, format, projectName }: ChangeWords, key: string) {
  if (isNothing(value)) return undefined
  if (typeof value === 'boolean') return value ? messages.common.yes : messages.common.no
  if (typeof value === 'number') {
    return durations.has(key) ? format.span(value, true) : format.number(value)
  }
  if (typeof value === 'string') {
    if (timestamp.test(value)) return format.dateTime(value)
    if (key === 'action') return actionText(messages, value)
    if (key === 'method') return messages.activity.methods[value] ?? value
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
  const { task_id: _, task_status: __, params, ...others } = changes
  // A task has each parameter of its action as a field, a batch all in one.
  const isParameter = (key: string) => key.startsWith(parameter)
  const shown = Object.fromEntries(Object.entries(others).filter(([key]) => !isParameter(key)))
  const parameters = Object.fromEntries([
    ...Object.entries(others)
      .filter(([key]) => isParameter(key))
      .map(([key, [, value]]) => [key.slice(parameter.length), value]),
    ...Object.entries(params?.[1] ?? {}),
  ]) as TaskParameters
  const given = describeParameters(words.messages, words.format, parameters).map(
    ([label, after]) => ({ key: label, label, before: undefined, after }),
  )
  if (target_type === 'server') return [...given, ...describeChanges(shown, words)]
  const { fields } = words.messages.activity
  const described = Object.entries(shown)
    .map(([key, [before, after]]) => ({
      key,
      label: fields[key] ?? key.replaceAll('_', ' '),
      before: toText(before, words, key),
      after: toText(after, words, key),
    }))
    .filter(({ before, after }) => before !== undefined || after !== undefined)
  return [...described, ...given]
}

/** A task is two events: it was accepted, and it has ended. */
export const isAccepted = ({ changes }: Pick<EventDto, 'changes'>): boolean =>
  'task_id' in changes && !('task_status' in changes)

/**
 * Newest first: once the end of a task is listed, its beginning says nothing more. Among what is done, no
 * beginning is listed: its task may fail.
 */
export function withoutBeginnings(
  events: readonly EventDto[],
  result: string | undefined,
): readonly EventDto[] {
  if (result === 'success') return events.filter((event) => !isAccepted(event))
  const ended = new Set<unknown>()
  return events.filter((event) => {
    const id = event.changes['task_id']?.[1]
    if (id === undefined) return true
    if (isAccepted(event)) return !ended.has(id)
    ended.add(id)
    return true
  })
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
