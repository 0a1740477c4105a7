import type { ErrorClass, ErrorValues, ServerAction, Task } from '@muster/contract'
import type { Messages } from './en/index.ts'

/** An error of the API, or a refusal in one of its lists. */
interface Refusal {
  readonly class?: ErrorClass | undefined
  readonly values?: ErrorValues | undefined
}

const textOf = (value: ErrorValues[string] | undefined): string =>
  value === undefined ? '' : String(value)

/**
 * Why an action was refused, in the language of the console; undefined if it has no text for it. The
 * values tell more than the class.
 */
export function describeRefusal(t: Messages, refusal: Refusal): string | undefined {
  const { problems, actions, values: names, servers, server } = t
  const { values = {} } = refusal
  const has = (name: string) => values[name] !== undefined
  const text = (name: string) => textOf(values[name])
  const status = (value: string) => names.statuses[value] ?? value
  const action = (value: string) => actions.names[value as ServerAction] ?? value
  const fields: Readonly<Record<string, string>> = {
    ...servers.columns,
    shutdown_behavior: server.shutdown,
    boot_order: server.bootOrder,
    delete_disks: actions.deleteDisks,
    delete_snapshots: actions.deleteSnapshots,
  }
  const name = text('name')
  if (has('permission')) {
    const { actions: verbs, resources } = t.session
    const resource = resources[text('resource')] ?? text('resource')
    const verb = verbs[text('permission') as keyof typeof verbs] ?? verbs.perform
    return problems.notPermitted(verb, resource)
  }
  if (has('task_action')) return problems.unfinished(action(text('task_action')))
  if (has('lost_on_stop')) return problems.lostOnStop(text('lost_on_stop'))
  if (has('scaling_group_id')) return actions.groupText(text('scaling_group_id'))
  if (has('pending_deleted')) return values['pending_deleted'] ? problems.inBin : problems.notInBin
  if (has('field')) return problems.cannotChange(fields[text('field')] ?? text('field'))
  const { protected_by: protection, account, limit, from } = values
  if (protection === 'source' || protection === 'muster') return problems.protectedBy[protection]
  if (limit === 'batches' || limit === 'tasks') return problems.tooMany[limit](text('most'))
  if (account === 'deleted') return problems.accountDeleted
  if (account === 'disabled') return problems.accountDisabled(name)
  if (account === 'reports') return problems.accountReports(name)
  if (account === 'missing') return problems.accountMisses(name)
  if (has('status')) {
    if (values['status'] === 'deleted') return problems.deleted
    const current = status(text('status'))
    return Array.isArray(from) && from.length > 0
      ? problems.wrongStatus(current, action(text('action')), from.map(status).join(problems.list))
      : problems.changing(current)
  }
  if (refusal.class === 'AccountReadOnlyError' && has('name')) return problems.observed(name)
  if (refusal.class === 'ServiceUnavailable' && has('name')) return problems.silent(name)
  if (refusal.class === 'NotSupportedError' && has('action'))
    return problems.unsupported(name, action(text('action')))
  return undefined
}

type TaskProblem = Pick<Task, 'error' | 'error_class' | 'error_values'>

/** Why a task did not succeed; empty if it did. */
export function describeTaskError(t: Messages, task: TaskProblem): string {
  const { problems, values: names } = t
  const { error, error_class: kind, error_values: values } = task
  if (kind === '') return error
  if (kind === 'refused') {
    const refusal = { class: values['class'] as ErrorClass | undefined, values }
    return describeRefusal(t, refusal) ?? error
  }
  const text = (name: string) => textOf(values[name])
  const join = (name: string) => {
    const { [name]: list } = values
    return Array.isArray(list) ? list.join(problems.list) : text(name)
  }
  const parts = [
    kind === 'guest_did_not_stop' ? problems.guestRuns(text('seconds')) : problems.tasks[kind],
    text('answer') && problems.answer([text('request'), text('answer')].filter(Boolean).join(': ')),
    text('status') && problems.shown(names.statuses[text('status')] ?? text('status')),
    join('done') && problems.done(join('done')),
    join('remaining') && problems.remaining(join('remaining')),
  ]
  return parts.filter(Boolean).join(' ')
}
