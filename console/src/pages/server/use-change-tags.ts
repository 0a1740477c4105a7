import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

/** Changes tags of a server. Nothing is shown as done before it is. */
export function useChangeTags(id: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (metadata: Record<string, string | null>) =>
      api.mergeServerMetadata({ parameters: { id }, body: { metadata } }),
    // Lists and counts show tags too.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['servers'] }),
  })
}
