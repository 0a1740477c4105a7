import { useMessages } from '../../messages/use-messages.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

/** Instead of a list that the session's roles do not show: which right is missing, and what to do. */
export function NotAllowed({ reason }: { readonly reason: string }) {
  const t = useMessages()
  return <EmptyState title={t.identity.notAllowed}>{t.identity.notAllowedText(reason)}</EmptyState>
}
