import type { BatchPreview, Claim, ServerAction, TaskParameters } from '@muster/contract'

/** An action as the console offers it. `delete-now` is a delete that skips the recycle bin. */
export type ActionName = ServerAction | 'delete-now'

/** The action of the API. */
export const apiAction = (name: ActionName): ServerAction =>
  name === 'delete-now' ? 'delete' : name

/** The action as the console calls it. */
export const actionName = (action: ServerAction, params: TaskParameters): ActionName =>
  action === 'delete' && params['override_pending_delete'] === true ? 'delete-now' : action

/** Always visible. The others are in a menu. */
export const mainActions = ['start', 'stop', 'restart'] as const
/** In the menu of a server, and of several. */
export const menuActions = [
  'reset',
  'suspend',
  'resume',
  'change-config',
  'update',
  'delete',
] as const
export const bulkMenuActions = ['reset', 'suspend', 'resume', 'delete'] as const
/** In the recycle bin. */
export const binActions = ['cancel-delete', 'delete-now', 'purge'] as const

/** What the dialog of an action asks for. */
export interface ActionOptions {
  readonly isForced: boolean
  /** In seconds; empty for the default. */
  readonly timeout: string
  /** Delete at once, not into the recycle bin. */
  readonly skipsBin: boolean
  readonly deletesDisks: boolean
  readonly deletesSnapshots: boolean
}

export const noOptions: ActionOptions = {
  isForced: false,
  timeout: '',
  skipsBin: false,
  deletesDisks: false,
  deletesSnapshots: false,
}

export const asksForTimeout = (name: ActionName): boolean => name === 'stop' || name === 'restart'
export const isDeletion = (name: ActionName): boolean => name === 'delete' || name === 'delete-now'

/** Whether an action on one server starts without a dialog. */
export const isImmediate = (name: ActionName): boolean =>
  ['start', 'suspend', 'resume', 'cancel-delete'].includes(name)

/** Whether data can be lost, so that the user must type the name or the number of servers. */
export function isDestructive(
  name: ActionName,
  { isForced }: Pick<ActionOptions, 'isForced'>,
): boolean {
  return (
    isDeletion(name) || name === 'purge' || name === 'reset' || (asksForTimeout(name) && isForced)
  )
}

const longestTimeout = 86_400

export const isTimeout = (text: string): boolean =>
  text === '' || (/^\d{1,5}$/.test(text) && Number(text) <= longestTimeout)

/** The parameters of the request. What was not chosen is left out. */
export function paramsOf(name: ActionName, options: ActionOptions): TaskParameters {
  const { isForced, timeout, skipsBin, deletesDisks, deletesSnapshots } = options
  const takesForce = asksForTimeout(name) || isDeletion(name)
  return {
    ...((name === 'delete-now' || (name === 'delete' && skipsBin)) && {
      override_pending_delete: true,
    }),
    ...(takesForce && isForced && { is_force: true }),
    ...(asksForTimeout(name) && timeout !== '' && { timeout_secs: Number(timeout) }),
    ...(isDeletion(name) && deletesDisks && { delete_disks: true }),
    ...(isDeletion(name) && deletesSnapshots && { delete_snapshots: true }),
  }
}

/** What a dry run says about one server. */
export type PreviewItem = BatchPreview['items'][number] | Claim['items'][number]

interface PreviewGroup {
  readonly outcome: PreviewItem['outcome']
  readonly reason: string
  readonly servers: readonly string[]
}

const acting = ['act', 'move', 'replace'] as const
const outcomes: readonly PreviewItem['outcome'][] = [...acting, 'already', 'refused']

/**
 * The servers of a preview by outcome and reason, in the order of `outcomes`. Reasons that differ only
 * in the name of the server are one group.
 */
export function groupPreview(items: readonly PreviewItem[]): readonly PreviewGroup[] {
  const groups = Map.groupBy(items, ({ outcome, reason, server }) =>
    JSON.stringify([outcome, server === '' ? reason : reason.replaceAll(`"${server}"`, '…')]),
  )
  return [...groups]
    .map(([key, members]): PreviewGroup => {
      const [outcome, reason] = JSON.parse(key) as [PreviewItem['outcome'], string]
      return { outcome, reason, servers: members.map((item) => item.server || item.server_id) }
    })
    .sort(
      (one, other) =>
        outcomes.indexOf(one.outcome) - outcomes.indexOf(other.outcome) ||
        other.servers.length - one.servers.length,
    )
}

/** How many servers change. */
export const countActing = (items: readonly PreviewItem[]): number =>
  items.filter(({ outcome }) => acting.some((one) => one === outcome)).length
