import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

/** Updates the tags of a server. */
export function useChangeTags(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (metadata: Record<string, string | null>) =>
      api.mergeServerMetadata({ parameters: { id }, body: { metadata } }),
    // Lists and counts contain tags too.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['servers'] }),
  })
}
