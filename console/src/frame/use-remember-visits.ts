import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../session/use-session.ts'
import type { PageOption } from './palette-options.ts'
import { addressOf, rememberAddress } from './recent-addresses.ts'
import { usePageOptions } from './use-page-options.ts'

/** The address of what is shown; undefined if the palette does not open it. */
export function useCurrentAddress(pages: readonly PageOption[]): string | undefined {
  return useRouterState({
    select: ({ resolvedLocation: at }) =>
      at &&
      addressOf(
        at,
        pages.map(({ href }) => href),
      ),
  })
}

/** Shorter ones are on the way to something else. */
const shortestVisit = 1_000

/** Remembers what the user looks at. */
export function useRememberVisits(): void {
  const { user } = useSession()
  const address = useCurrentAddress(usePageOptions())
  useEffect(() => {
    if (address === undefined) return
    const timer = setTimeout(() => rememberAddress(user.id, address), shortestVisit)
    return () => clearTimeout(timer)
  }, [user.id, address])
}
