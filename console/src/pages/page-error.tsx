import { useRouter } from '@tanstack/react-router'
import { useText } from '../text/use-text.ts'
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
  const t = useText()
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
