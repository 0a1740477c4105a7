import { Suspense, useState } from 'react'
import { lazyPage } from '../pages/lazy-page.ts'
import { PagePending } from '../pages/page-pending.tsx'
import { useSession } from '../session/use-session.ts'
import { Shell } from './shell.tsx'

const FactorGate = lazyPage(() => import('../other-pages.ts'), 'FactorGate')

/** The frame of all pages, or the page that asks for a second factor, without which the API refuses the rest. */
export function GuardedShell() {
  const { required } = useSession().second_factor
  // The session is complete before the recovery codes are copied.
  const [isAdding, setAdding] = useState(false)
  if (required === 'none' && !isAdding) return <Shell />
  return (
    <Suspense fallback={<PagePending />}>
      <FactorGate need={required} isAdding={isAdding} onAdding={setAdding} />
    </Suspense>
  )
}
