import { useEffect, useRef } from 'react'
import { retryConnection, useConnection } from '../api/connection.ts'
import { sessionQuery } from '../api/queries/session.ts'
import { queryClient } from '../api/query-client.ts'
import { noAnswer } from '../api/query-result.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Page } from '../ui/page.tsx'
import { rememberedSession } from '../session/remembered-session.ts'
import { PagePending } from './page-pending.tsx'

/** Time for the session to load if the API was only slow. */
const patience = 1_000

/**
 * Shown until the session is loaded. The request has no time limit, so that a slow API still opens
 * the console; a silent one is reported by the connection monitor.
 */
export function SessionPending() {
  const t = useMessages()
  const { isConnected } = useConnection()
  const wasLost = useRef(false)
  useEffect(() => {
    if (!isConnected) wasLost.current = true
    // Instead of waiting for it, the page opens with the session that is known.
    if (!isConnected && rememberedSession()) void queryClient.cancelQueries(sessionQuery)
    if (!isConnected || !wasLost.current) return
    // The request for the session may hang although the API answers again.
    const timer = setTimeout(() => location.reload(), patience)
    return () => clearTimeout(timer)
  }, [isConnected])
  if (isConnected) return <PagePending />
  return (
    <Page title={t.common.appName}>
      <ErrorNotice error={noAnswer} onRetry={retryConnection} />
    </Page>
  )
}
