import { useQuery } from '@tanstack/react-query'
import { batchRefusalsQuery } from '../api/queries/tasks.ts'
import { useMessages } from '../messages/use-messages.ts'
import { PreviewGroups } from './preview-groups.tsx'

/** The servers of a batch that have no task. */
export function BatchRefusals({ id }: { readonly id: string }) {
  const { tasks: t } = useMessages()
  const { data: refusals = [] } = useQuery(batchRefusalsQuery(id))
  if (refusals.length === 0) return null
  const items = refusals.map(({ server_id }) => ({
    server_id,
    server: '',
    outcome: 'refused' as const,
    reason: t.noSuchServer,
  }))
  return <PreviewGroups label={t.refusals} items={items} />
}
