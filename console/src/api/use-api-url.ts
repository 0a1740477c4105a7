import { useQuery } from '@tanstack/react-query'
import { identityUrlQuery } from './queries/access-keys.ts'

/** Where programs find the API, without a slash at its end: as the catalog says, else here. */
export function useApiUrl(): string {
  const { data: identityUrl } = useQuery(identityUrlQuery)
  return identityUrl ? identityUrl.replace(/\/v3\/?$/, '') : location.origin
}
