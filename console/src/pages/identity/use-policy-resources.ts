import { useSession } from '../../session/use-session.ts'

/** What rules can speak of, from the rights that the API's operations need. */
export function usePolicyResources(service?: string): readonly string[] {
  const { permissions } = useSession()
  const resources = permissions
    .filter((permission) => service === undefined || permission.service === service)
    .map(({ resource }) => resource)
  return [...new Set(resources)].sort()
}
