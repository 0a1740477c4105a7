import { ApiError } from '@muster/sdk'
import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import styles from './live-mark.module.css'

const tones = { live: 'good', failing: 'warn', offline: 'bad' } as const

/** What is refused is no failure to refresh: it was never to be had. */
const isFailing = (query: Query): boolean => {
  const { status, error } = query.state
  const isRefused = error instanceof ApiError && error.status < 500
  return query.isActive() && status === 'error' && !isRefused
}

function stateOf(client: QueryClient): keyof typeof tones {
  if (!navigator.onLine) return 'offline'
  return client.getQueryCache().getAll().some(isFailing) ? 'failing' : 'live'
}

/** Whether what is on the page keeps itself up to date. */
export function LiveMark() {
  const t = useMessages()
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => {
      const events = ['online', 'offline'] as const
      for (const event of events) addEventListener(event, listener)
      const leave = client.getQueryCache().subscribe(listener)
      return () => {
        for (const event of events) removeEventListener(event, listener)
        leave()
      }
    },
    [client],
  )
  const state = useSyncExternalStore(subscribe, () => stateOf(client))
  const hints = {
    live: t.frame.liveHint,
    failing: t.frame.failingHint,
    offline: t.errors.offlineText,
  }
  return (
    <span className={styles.live} role="status" title={hints[state]}>
      <StatusMark tone={tones[state]}>{t.frame[state]}</StatusMark>
    </span>
  )
}
