import { useRouter } from '@tanstack/react-router'
import { useMessages } from '../messages/use-messages.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Page } from '../ui/page.tsx'

/** What is shown instead of a page that failed as a whole. */
export function PageError({
  error,
  reset,
}: {
  readonly error: unknown
  readonly reset: () => void
}) {
  const t = useMessages()
  const router = useRouter()
  return (
    <Page title={t.common.appName}>
      <ErrorNotice
        error={error}
        onRetry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </Page>
  )
}
