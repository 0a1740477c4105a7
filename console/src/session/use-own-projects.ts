import { useSession } from './use-session.ts'

/** The projects in which the user has a role, each with the name of its domain. */
export function useOwnProjects() {
  const { projects } = useSession()
  return projects.map(({ id, name, domain }) => ({ id, name, domain: domain.name }))
}
