import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { trackedTasksQuery } from '../api/queries/tracked-tasks.ts'
import { lazyPage } from '../pages/lazy-page.ts'
import { usePermission } from '../session/use-permission.ts'

/** Its code is loaded when there is a task. */
const TaskDrawer = lazyPage(() => import('../actions/task-drawer.tsx'), 'TaskDrawer')

/** The drawer of tasks, while there are any. */
export function FollowedTasks() {
  const { allowed } = usePermission('listTasks')
  const { data } = useQuery({ ...trackedTasksQuery, enabled: allowed })
  if (!data || data.items.length === 0) return null
  return (
    <Suspense>
      <TaskDrawer items={data.items} />
    </Suspense>
  )
}
