import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { loginOptionsQuery } from '../../api/queries/session.ts'

/**
 * Forgets all that was loaded for whoever was here before. Not sooner: a page that is still on the
 * screen would ask for it again.
 */
export function useClearCache(): void {
  const router = useRouter()
  const queryClient = useQueryClient()
  useEffect(() => {
    const [own] = loginOptionsQuery.queryKey
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== own })
    router.clearCache()
  }, [router, queryClient])
}
