import { useCallback, useLayoutEffect, useState, type RefObject } from 'react'

interface Options {
  readonly scroll: RefObject<HTMLElement | null>
  readonly count: number
  /** The height of a row, in pixels. */
  readonly height: number
  /** The height of the header, which stays at the top. */
  readonly header: number
}

/** Rows that are rendered above and below the visible ones. */
const beyond = 12

/** The rows to render in a scrolling element, where all rows have one height. */
export function useVisibleRows({ scroll, count, height, header }: Options) {
  const [top, setTop] = useState(0)
  const [rows, setRows] = useState(0)
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const measure = () => {
      setTop(Math.floor(element.scrollTop / height))
      setRows(Math.ceil(element.clientHeight / height))
    }
    measure()
    element.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroll, height])

  /** Scrolls as little as possible. */
  const scrollToRow = useCallback(
    (index: number) => {
      const element = scroll.current
      if (!element) return
      const start = index * height
      const end = start + height + header - element.clientHeight
      if (start < element.scrollTop) element.scrollTo({ top: start })
      else if (end > element.scrollTop) element.scrollTo({ top: end })
    },
    [scroll, height, header],
  )

  const first = Math.max(0, Math.min(top - beyond, count - 1))
  const last = Math.max(0, Math.min(top + rows + beyond, count - 1))
  return { first, last, scrollToRow }
}
