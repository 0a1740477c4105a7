import type { Batch, Task } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import type { TaskFilters } from '../api/queries/task-query.ts'
import { isUnfinishedBatch, isUnfinishedTask } from '../api/tracked-tasks.ts'
import { useFormat } from '../messages/use-format.ts'
import { describeTaskError } from '../messages/describe-problem.ts'
import { useMessages } from '../messages/use-messages.ts'
import type { Column } from '../ui/table.tsx'
import { TimeAgo } from '../ui/time-ago.tsx'
import { CancelButton } from './cancel-button.tsx'
import { RetryButton } from './retry-button.tsx'
import { actionName } from './server-action.ts'
import styles from './tasks.module.css'
import { TaskStatus } from './task-status.tsx'
import { useServerCount } from './use-server-count.ts'

const countNames = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'refused',
  'cancelled',
  'unknown',
] as const

/** How many tasks of a batch are in which state. */
export function useBatchCounts(): (batch: Batch) => string {
  const { tasks: t } = useMessages()
  const { number } = useFormat()
  return (batch) =>
    countNames
      .filter((name) => batch[name] > 0)
      .map((name) => t.counts[name](number(batch[name])))
      .join(' · ')
}

type Narrow = (filters: TaskFilters) => void

/** Columns that tasks and batches share. */
function useSharedColumns(narrow: Narrow | undefined) {
  const { tasks: t, actions, activity } = useMessages()
  const { duration } = useFormat()
  return {
    status: {
      key: 'status',
      title: t.status,
      cell: (of: Task | Batch) => <TaskStatus of={of} />,
    },
    action: {
      key: 'action',
      title: t.action,
      cell: ({ action, params }: Task | Batch) => actions.names[actionName(action, params)],
    },
    user: {
      key: 'user',
      title: t.user,
      cell: ({ user, user_id }: Task | Batch) =>
        narrow && user_id !== '' ? (
          <button
            type="button"
            className={styles.value}
            title={activity.onlyThis(user)}
            onClick={() => narrow({ user_id })}
          >
            {user}
          </button>
        ) : (
          user
        ),
    },
    created: {
      key: 'created',
      title: t.created,
      cell: ({ created_at }: Task | Batch) => <TimeAgo time={created_at} />,
    },
    duration: {
      key: 'duration',
      title: t.duration,
      number: true,
      cell: ({ created_at, finished_at }: Task | Batch) =>
        finished_at === null ? '–' : duration(Date.parse(finished_at) - Date.parse(created_at)),
    },
  }
}

/** The columns of a list of tasks. `isOfServer`: the list is on the server's own page. */
export function useTaskColumns(narrow?: Narrow, isOfServer = false): readonly Column<Task>[] {
  const messages = useMessages()
  const { tasks: t, actions } = messages
  const shared = useSharedColumns(narrow)
  const labelOf = ({ action, params, server }: Task) =>
    actions.on(actions.names[actionName(action, params)], server)
  const server: Column<Task> = {
    key: 'server',
    title: t.server,
    cell: ({ server_id: id, server: name }) => (
      <Link to="/servers/$id" params={{ id }} preload={false}>
        <bdi>{name || id}</bdi>
      </Link>
    ),
  }
  return [
    shared.status,
    shared.action,
    ...(isOfServer ? [] : [server]),
    shared.user,
    shared.created,
    shared.duration,
    {
      key: 'details',
      title: t.details,
      cell: (task) => (
        <div className={styles.details}>
          {isUnfinishedTask(task) ? `${task.progress}%` : describeTaskError(messages, task)}
          {task.batch_id !== '' && (
            <Link to="/tasks" search={{ view: 'batches', batch_id: task.batch_id }}>
              {t.inBatch}
            </Link>
          )}
          {isUnfinishedTask(task) && (
            <CancelButton kind="task" id={task.id} label={labelOf(task)} />
          )}
          <RetryButton of={task} label={labelOf(task)} />
        </div>
      ),
    },
  ]
}

/** The columns of a list of batches. */
export function useBatchColumns(narrow: Narrow): readonly Column<Batch>[] {
  const { tasks: t, actions } = useMessages()
  const serverCount = useServerCount()
  const shared = useSharedColumns(narrow)
  const counts = useBatchCounts()
  return [
    shared.status,
    shared.action,
    {
      key: 'servers',
      title: t.servers,
      number: true,
      cell: ({ total, refused }) => serverCount(total, refused),
    },
    { key: 'result', title: t.result, cell: counts },
    shared.user,
    shared.created,
    shared.duration,
    {
      key: 'details',
      title: t.details,
      cell: (batch) => (
        <div className={styles.details}>
          <Link to="/tasks" search={{ batch_id: batch.id }}>
            {t.tasksOf}
          </Link>
          {batch.status === 'running' && isUnfinishedBatch(batch) && (
            <CancelButton
              kind="batch"
              id={batch.id}
              label={actions.names[actionName(batch.action, batch.params)]}
            />
          )}
          <RetryButton of={batch} label={actions.names[actionName(batch.action, batch.params)]} />
        </div>
      ),
    },
  ]
}
