import { useEffect, useState } from 'react'

const patience = 30_000

/** Polls fast for half a minute after `pollFast`, while a change is expected. */
export function useFastPolling(): {
  readonly isPollingFast: boolean
  readonly pollFast: () => void
} {
  const [since, setSince] = useState<number>()
  useEffect(() => {
    if (since === undefined) return
    const timer = setTimeout(() => setSince(undefined), patience)
    return () => clearTimeout(timer)
  }, [since])
  return { isPollingFast: since !== undefined, pollFast: () => setSince(Date.now()) }
}
