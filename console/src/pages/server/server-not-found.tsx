import { Link } from '@tanstack/react-router'
import { useMessages } from '../../messages/use-messages.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** The API does not tell a server of others from one that never was, and neither does this. */
export function ServerNotFound() {
  const { server: t } = useMessages()
  return (
    <EmptyState
      title={t.notThere}
      actions={
        <Link to="/servers" className={buttonClass('primary')}>
          {t.toServers}
        </Link>
      }
    >
      {t.notThereText}
    </EmptyState>
  )
}
