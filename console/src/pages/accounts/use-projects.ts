import type { ProjectChoice } from '../../form/project-field.tsx'
import { usePermission } from '../../session/use-permission.ts'
import { useOwnProjects } from '../../session/use-own-projects.ts'
import { useChoices } from '../identity/use-choices.ts'

/** The projects that can own servers: all visible ones, or those of the session. */
export function useProjects() {
  const { allowed } = usePermission('listProjects')
  const own = useOwnProjects()
  const all = useChoices('projects')
    .map(({ id, name, domain = '' }) => ({ id, name, domain }))
    .sort((a, b) => a.domain.localeCompare(b.domain) || a.name.localeCompare(b.name))
  const choices: readonly ProjectChoice[] = allowed && all.length > 0 ? all : own
  return {
    choices,
    nameOf: (id: string) => choices.find((choice) => choice.id === id)?.name ?? id,
  }
}
