import { useQuery } from '@tanstack/react-query'
import { recycleBinQuery } from '../api/queries/recycle-bin.ts'
import { useFormat } from '../messages/use-format.ts'

/** How long servers stay in the recycle bin; null without one, and undefined while it is not known. */
export function useBinSpan(): string | null | undefined {
  const { span } = useFormat()
  const { data } = useQuery(recycleBinQuery)
  if (!data) return undefined
  return data.retention === 0 ? null : span(data.retention, true)
}
