import { pollHeader } from '@muster/sdk'
import type { Query } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, listenToRequests } from './client.ts'
import { createConnectionMonitor, type ConnectionState } from './connection-monitor.ts'
import { handleUnauthorized, queryClient } from './query-client.ts'
import { isOutage } from './query-view.ts'

const isFailing = ({ queryHash }: Query): boolean => monitor.isFailing(queryHash)

const monitor = createConnectionMonitor({
  /** The catalog is the cheapest request that goes through the gateway to the API and needs a session. */
  async probe(signal) {
    try {
      await api.showAuthCatalog({ headers: { [pollHeader]: '1' }, signal })
    } catch (error) {
      if (isOutage(error)) throw error
      handleUnauthorized(error)
    }
  },
  onReconnect: () => void queryClient.invalidateQueries(),
  onRetry: () => void queryClient.refetchQueries({ type: 'active', predicate: isFailing }),
  onHang: () => void queryClient.cancelQueries(),
  isHidden: () => document.hidden,
})

listenToRequests({ onAnswer: monitor.noteAnswer, onFailure: monitor.noteFailure })
addEventListener('offline', monitor.noteFailure)
addEventListener('online', monitor.retry)

/** A failing query counts until it succeeds, is rejected, or leaves the page. */
queryClient.getQueryCache().subscribe((event) => {
  const { query, type } = event
  const action = type === 'updated' ? event.action : undefined
  if (action?.type === 'failed' || action?.type === 'error') {
    monitor.setFailing(query.queryHash, query.isActive() && isOutage(action.error))
  } else if (action?.type === 'success' || type === 'removed' || type === 'observerRemoved') {
    const isStillFailing = type === 'observerRemoved' && isFailing(query) && query.isActive()
    monitor.setFailing(query.queryHash, isStillFailing)
  }
})

/** Probes now and retries failed requests. */
export const retryConnection = monitor.retry

/** Watches the connection until the returned function is called, before a page shows its state. */
export const watchConnection = (): (() => void) => monitor.subscribe(() => {})

/** Whether the API responds, and since when it does not. */
export const useConnection = (): ConnectionState =>
  useSyncExternalStore(monitor.subscribe, monitor.state)
