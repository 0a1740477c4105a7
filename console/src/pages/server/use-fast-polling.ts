import { useEffect, useState } from 'react'

const patience = 30_000

/** For half a minute after `pollFast`, news is expected. */
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
