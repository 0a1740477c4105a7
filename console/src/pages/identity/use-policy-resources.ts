import { useSession } from '../../session/use-session.ts'

/** The resources that policy rules can name, from the permissions of the API's operations. */
export function usePolicyResources(service?: string): readonly string[] {
  const { permissions } = useSession()
  const resources = permissions
    .filter((permission) => service === undefined || permission.service === service)
    .map(({ resource }) => resource)
  return [...new Set(resources)].sort()
}
