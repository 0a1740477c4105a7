import { useRef } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import styles from './column-separator.module.css'
import { maxWidth, minWidth } from './use-column-widths.ts'

interface Props {
  readonly title: string
  readonly width: number
  /** What the values of the column need, if they must not be cut. */
  readonly needed: number | undefined
  /** Undefined: the usual width. */
  readonly onResize: (width: number | undefined) => void
}

/** How much an arrow key changes the width, in pixels. */
const step = 16

/** The edge of a column: drag it, or use the arrow keys. A double click or Enter resets the width. */
export function ColumnSeparator({ title, width, needed = minWidth, onResize }: Props) {
  const { servers: t } = useMessages()
  const drag = useRef<{ readonly from: number; readonly width: number }>(undefined)
  const least = Math.max(minWidth, needed)
  const resize = (next: number) => onResize(Math.round(Math.min(Math.max(next, least), maxWidth)))
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t.columnWidth(title)}
      aria-valuenow={width}
      aria-valuemin={Math.min(least, width)}
      aria-valuemax={Math.max(maxWidth, width)}
      tabIndex={0}
      title={t.columnWidthHint}
      className={styles.separator}
      onPointerDown={({ button, pointerId, clientX, currentTarget }) => {
        if (button !== 0) return
        currentTarget.setPointerCapture(pointerId)
        drag.current = { from: clientX, width }
      }}
      onPointerMove={({ clientX }) => {
        if (drag.current) resize(drag.current.width + clientX - drag.current.from)
      }}
      onLostPointerCapture={() => {
        drag.current = undefined
      }}
      onDoubleClick={() => onResize(undefined)}
      onKeyDown={(event) => {
        const { key } = event
        if (key === 'ArrowLeft') resize(width - step)
        else if (key === 'ArrowRight') resize(width + step)
        else if (key === 'Enter') onResize(undefined)
        else return
        event.preventDefault()
      }}
    />
  )
}
