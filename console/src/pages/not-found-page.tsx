import { Link } from '@tanstack/react-router'
import { useMessages } from '../messages/use-messages.ts'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  const t = useMessages()
  return (
    <Page title={t.errors.noPage}>
      <EmptyState
        title={t.errors.noPage}
        actions={
          <Link to="/" className={buttonClass('primary')}>
            {t.errors.toOverview}
          </Link>
        }
      >
        {t.errors.noPageText}
      </EmptyState>
    </Page>
  )
}
