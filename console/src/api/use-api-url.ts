import { useQuery } from '@tanstack/react-query'
import { identityUrlQuery } from './queries/access-keys.ts'

/** The public URL of the API without a trailing slash: from the catalog, or else this origin. */
export function useApiUrl(): string {
  const { data: identityUrl } = useQuery(identityUrlQuery)
  return identityUrl ? identityUrl.replace(/\/v3\/?$/, '') : location.origin
}
