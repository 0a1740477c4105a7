import type { Server } from '@muster/contract'
import { TaskList } from '../../actions/task-list.tsx'
import { useTaskColumns } from '../../actions/use-task-columns.tsx'
import { serverTasksQuery } from '../../api/queries/tasks.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

/** The tasks of a server. */
export function TasksTab({ server }: { readonly server: Server }) {
  const { tasks: t } = useMessages()
  return (
    <TaskList
      query={serverTasksQuery(server.id)}
      caption={t.title}
      columns={useTaskColumns(undefined, true)}
      empty={<EmptyState title={t.empty}>{t.noneOfServerText}</EmptyState>}
    />
  )
}
