import type { ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import styles from './skeleton.module.css'

/** The shape of what loads, so that nothing jumps. Screen readers hear only that it loads. */
function Skeleton({
  className,
  children,
}: {
  className?: string | undefined
  children: ReactNode
}) {
  const t = useMessages()
  return (
    <div className={className} role="status">
      <span className="visuallyHidden">{t.common.loading}</span>
      {children}
    </div>
  )
}

/** `width` in percent. */
const Bar = ({ width }: { readonly width: number }) => (
  <span className={styles.bar} style={{ inlineSize: `${width}%` }} />
)

const times = (count: number, render: (index: number) => ReactNode) =>
  Array.from({ length: count }, (_, index) => render(index))

/** The title of a page. */
export const SkeletonTitle = () => (
  <div className={`${styles.bar} ${styles.title}`} aria-hidden="true" />
)

interface RowsProps {
  readonly rows?: number
  /** A list without a frame. */
  readonly isPlain?: boolean
}

/** A table: its header and rows. */
export function SkeletonRows({ rows = 8, isPlain = false }: RowsProps) {
  return (
    <Skeleton className={isPlain ? styles.rows : `${styles.rows} ${styles.framed}`}>
      {times(rows + 1, (row) => (
        <div key={row} className={styles.row} aria-hidden="true">
          <Bar width={row === 0 ? 8 : 24} />
          <Bar width={9} />
          <Bar width={14} />
          <Bar width={18} />
        </div>
      ))}
    </Skeleton>
  )
}

/** Labels and values in columns, under tabs if there are any. */
export function SkeletonProperties({ hasTabs = false }: { readonly hasTabs?: boolean }) {
  return (
    <Skeleton className={styles.page}>
      {hasTabs && (
        <div className={styles.tabs} aria-hidden="true">
          {times(4, (tab) => (
            <Bar key={tab} width={100} />
          ))}
        </div>
      )}
      <div className={styles.properties} aria-hidden="true">
        {times(12, (index) => (
          <div key={index} className={styles.property}>
            <Bar width={60} />
            <Bar width={index % 3 === 0 ? 70 : 45} />
          </div>
        ))}
      </div>
    </Skeleton>
  )
}

/** Cards beside each other. */
export function SkeletonCards({
  cards,
  height,
}: {
  readonly cards: number
  readonly height: number
}) {
  return (
    <Skeleton className={styles.cards}>
      {times(cards, (card) => (
        <div key={card} className={styles.card} style={{ blockSize: height }} aria-hidden="true">
          <Bar width={40} />
        </div>
      ))}
    </Skeleton>
  )
}
