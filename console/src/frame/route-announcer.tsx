import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/** Announces the title of a new page and focuses it, as a full page load does. */
export function RouteAnnouncer() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const [title, setTitle] = useState('')
  const first = useRef(true)
  useEffect(() => {
    if (path === undefined) return
    if (first.current) {
      first.current = false
      return
    }
    // After the page has set its title.
    const timer = setTimeout(() => {
      setTitle(document.title)
      // A tab of the same page leaves the focus on the tab.
      const isStillThere = document.activeElement?.closest('#content') ?? null
      if (isStillThere === null)
        document.getElementById('page-title')?.focus({ preventScroll: true })
    }, 50)
    return () => clearTimeout(timer)
  }, [path])
  return (
    <div className="visuallyHidden" aria-live="assertive">
      {title}
    </div>
  )
}
