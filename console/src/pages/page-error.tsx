import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { retryConnection, useConnection } from '../api/connection.ts'
import { isOutage } from '../api/query-result.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Page } from '../ui/page.tsx'

interface Props {
  readonly error: unknown
  readonly reset: () => void
}

/** A lost connection is detected within this time. */
const patience = 5_000

/** Shown instead of a failed page. After a lost connection it reloads automatically. */
export function PageError({ error, reset }: Props) {
  const t = useMessages()
  const router = useRouter()
  const { isConnected } = useConnection()
  const wasLost = useRef(false)
  const isLost = isOutage(error)
  useEffect(() => {
    if (!isConnected) wasLost.current = true
    if (!isConnected || !isLost) return
    // The browser does not load failed code again until the page is reloaded.
    const timer = setTimeout(() => location.reload(), wasLost.current ? 0 : patience)
    return () => clearTimeout(timer)
  }, [isConnected, isLost])
  return (
    <Page title={t.common.appName}>
      <ErrorNotice
        error={error}
        onRetry={() => {
          retryConnection()
          reset()
          void router.invalidate()
        }}
      />
    </Page>
  )
}
