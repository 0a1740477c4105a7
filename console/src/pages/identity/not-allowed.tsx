import { useMessages } from '../../messages/use-messages.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

/** Shown instead of a list that the user has no access to. */
export function NotAllowed({ reason }: { readonly reason: string }) {
  const t = useMessages()
  return <EmptyState title={t.identity.notAllowed}>{t.identity.notAllowedText(reason)}</EmptyState>
}
