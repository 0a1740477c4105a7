import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { choicesQuery } from '../api/queries/entities.ts'
import { usePermission } from './use-permission.ts'
import { useSession } from './use-session.ts'

/** The name of a project that the user can list or has a role in; otherwise its id. */
export function useProjectName(): (id: string) => string {
  const { projects } = useSession()
  const { allowed } = usePermission('listProjects')
  const { data } = useQuery({ ...choicesQuery('projects'), enabled: allowed })
  return useMemo(() => {
    const names = new Map([...projects, ...(data ?? [])].map(({ id, name }) => [id, name]))
    return (id) => names.get(id) ?? id
  }, [projects, data])
}
