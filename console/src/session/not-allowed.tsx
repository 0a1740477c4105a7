import { useMessages } from '../messages/use-messages.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useSession } from './use-session.ts'

interface Props {
  readonly title: string
  readonly reason: string | undefined
}

/** Shown instead of a page that the user has no access to: what to do, and whom to ask. */
export function NotAllowed({ title, reason }: Props) {
  const { session: t } = useMessages()
  const { user, projects, domains, scope } = useSession()
  const isElsewhere = [...projects, ...domains].some(({ id }) => id !== scope.id)
  return (
    <EmptyState title={title}>
      {reason}. {t.askForRole(user.name, user.domain.name)} {isElsewhere && t.orSwitch}
    </EmptyState>
  )
}
