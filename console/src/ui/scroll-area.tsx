import { useEffect, useRef, useState, type ReactNode } from 'react'

interface Props {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Content that may scroll. A tab stop only while there is something to scroll. */
export function ScrollArea({ label, className, children }: Props) {
  const element = useRef<HTMLDivElement>(null)
  const [canScroll, setCanScroll] = useState(false)
  useEffect(() => {
    const area = element.current
    if (!area) return
    const observer = new ResizeObserver(() =>
      setCanScroll(
        area.scrollWidth > area.clientWidth + 1 || area.scrollHeight > area.clientHeight + 1,
      ),
    )
    for (const observed of [area, ...area.children]) observer.observe(observed)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={element}
      className={className}
      role="group"
      aria-label={label}
      tabIndex={canScroll ? 0 : undefined}
    >
      {children}
    </div>
  )
}
