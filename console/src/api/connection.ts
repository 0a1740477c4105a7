import { pollHeader } from '@muster/sdk'
import type { Query } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, listenToRequests } from './client.ts'
import { createConnectionMonitor, type ConnectionState } from './connection-monitor.ts'
import { handleUnauthorized, queryClient } from './query-client.ts'
import { isLimited, isOutage, isOwnFailure } from './query-result.ts'

const hasProblem = ({ queryHash }: Query): boolean => monitor.hasProblem(queryHash)

function problemOf(error: unknown) {
  if (isOwnFailure(error)) return 'failing'
  if (isOutage(error)) return 'outage'
  return isLimited(error) ? 'limited' : undefined
}

const monitor = createConnectionMonitor({
  /** The catalog is the cheapest request that goes through the gateway to the API and needs a session. */
  async probe(signal) {
    try {
      await api.showAuthCatalog({ headers: { [pollHeader]: '1' }, signal })
      monitor.setProblem('probe', undefined)
    } catch (error) {
      if (isOutage(error)) throw error
      monitor.setProblem('probe', problemOf(error))
      handleUnauthorized(error)
    }
  },
  onReconnect: () => void queryClient.invalidateQueries(),
  onRetry: () => void queryClient.refetchQueries({ type: 'active', predicate: hasProblem }),
  onHang: () => void queryClient.cancelQueries(),
  isHidden: () => document.hidden,
})

listenToRequests({
  onRead: monitor.noteRead,
  onAnswer: monitor.noteAnswer,
  onFailure: monitor.noteFailure,
})
addEventListener('offline', monitor.noteFailure)
addEventListener('online', monitor.retry)

/** A failing query counts until it succeeds, is rejected, or leaves the page. */
queryClient.getQueryCache().subscribe((event) => {
  const { query, type } = event
  const action = type === 'updated' ? event.action : undefined
  if (action?.type === 'failed' || action?.type === 'error') {
    monitor.setProblem(query.queryHash, query.isActive() ? problemOf(action.error) : undefined)
  } else if (action?.type === 'success' || type === 'removed' || type === 'observerRemoved') {
    if (type !== 'observerRemoved' || !query.isActive())
      monitor.setProblem(query.queryHash, undefined)
  }
})

/** Sends the pending requests of the page again. */
async function restartRequests(): Promise<void> {
  await queryClient.cancelQueries({ type: 'active', fetchStatus: 'fetching' })
  await queryClient.invalidateQueries()
}

/** Probes now and retries failed and pending requests. */
export function retryConnection(): void {
  const state = monitor.state()
  if (state.isConnected && state.waitingSince !== undefined) void restartRequests()
  monitor.retry()
}

/** Watches the connection until the returned function is called, before a page shows its state. */
export const watchConnection = (): (() => void) => monitor.subscribe(() => {})

/** Whether the API responds, and since when it does not. */
export const useConnection = (): ConnectionState =>
  useSyncExternalStore(monitor.subscribe, monitor.state)
