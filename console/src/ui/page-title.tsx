import { useEffect } from 'react'

/** The heading that a route change announces: `frame/route-announcer.tsx` moves the focus to it. */
export function PageTitle({ children }: { readonly children: string }) {
  useEffect(() => {
    // Names may contain right-to-left text.
    document.title = `\u2068${children}\u2069 · Muster`
  }, [children])
  return (
    <h1 id="page-title" tabIndex={-1}>
      <bdi>{children}</bdi>
    </h1>
  )
}
