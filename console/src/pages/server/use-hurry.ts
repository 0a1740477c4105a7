import { useEffect, useState } from 'react'

const patience = 30_000

/** For half a minute after `hurry`, news is expected. */
export function useHurry(): { readonly isHurried: boolean; readonly hurry: () => void } {
  const [since, setSince] = useState<number>()
  useEffect(() => {
    if (since === undefined) return
    const timer = setTimeout(() => setSince(undefined), patience)
    return () => clearTimeout(timer)
  }, [since])
  return { isHurried: since !== undefined, hurry: () => setSince(Date.now()) }
}
