import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type MouseEvent } from 'react'
import { density } from '../../frame/preferences.ts'
import { usePreference } from '../../frame/use-preference.ts'
import { columnDefinition, type ColumnName } from '../../servers/columns.ts'
import type { Row } from '../../servers/stable-pages.ts'
import { useMessages } from '../../messages/use-messages.ts'
import type { Sort } from '../../url/sort.ts'
import { ServerRow } from './server-row.tsx'
import styles from './servers-table.module.css'
import type { Cursor } from './use-list-keys.ts'
import type { ServerPages } from './use-server-pages.ts'
import { HeaderCell } from '../../ui/header-cell.tsx'

interface Props {
  readonly pages: ServerPages
  /** Identifies the list. A new list starts at the top once it has loaded. */
  readonly listKey: string
  readonly columns: readonly ColumnName[]
  readonly sort: Sort
  readonly cursor: Cursor
  readonly openId: string | undefined
  readonly selected: ReadonlySet<string>
  readonly onSort: (sort: Sort) => void
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (row: Row, index: number) => void
  readonly onSelect: (row: Row) => void
  readonly onReach: (index: number) => void
  readonly onValue: (element: HTMLElement) => void
}

const heights = { comfortable: 36, compact: 28 }
/** Browsers limit element heights to about 17 million pixels. */
const mostRows = 400_000
const beyond = 12

const widthOf = (columns: readonly ColumnName[]) =>
  columns.reduce((sum, name) => sum + columnDefinition(name).width, 0)

/** A virtualized table: only visible rows are rendered. */
export function ServersTable(props: Props) {
  const { pages, listKey, columns, sort, cursor, openId, selected } = props
  const { onSort, onRange, onOpen, onSelect, onReach, onValue } = props
  const t = useMessages()
  const scroll = useRef<HTMLDivElement>(null)
  const height = heights[usePreference(density)]
  const total = pages.total ?? 0
  const count = Math.min(total, mostRows)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    overscan: beyond,
    scrollPaddingStart: 36,
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useEffect(() => onRange(first, last), [first, last, onRange])
  useEffect(() => virtualizer.measure(), [height, virtualizer])
  const [topOf, setTopOf] = useState(listKey)
  if (topOf !== listKey && !pages.isOutdated) setTopOf(listKey)
  useLayoutEffect(() => {
    scroll.current?.scrollTo({ top: 0 })
  }, [topOf])
  useEffect(() => {
    if (!cursor.scrollsIntoView) return
    virtualizer.scrollToIndex(cursor.index)
    const timer = setTimeout(() =>
      document.getElementById(`row-${cursor.index}`)?.focus({ preventScroll: true }),
    )
    return () => clearTimeout(timer)
  }, [cursor, virtualizer])

  function click(event: MouseEvent<HTMLElement>): void {
    const value = (event.target as HTMLElement).closest<HTMLElement>('[data-filter]')
    if (!value) return
    event.stopPropagation()
    onValue(value)
  }

  const before = items[0]?.start ?? 0
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <>
      <div ref={scroll} className={styles.scroll} role="group" aria-label={t.servers.title}>
        <table
          className={styles.table}
          style={{ minWidth: widthOf(columns) }}
          aria-rowcount={total + 1}
          onClickCapture={click}
        >
          <caption className="visuallyHidden">{t.servers.title}</caption>
          <colgroup>
            {columns.map((name) => (
              <col key={name} style={{ width: columnDefinition(name).width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((name) => (
                <SortHeader key={name} column={name} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <Spacer height={before} span={columns.length} />}
            {items.map(({ index }) => {
              const row = pages.rowAt(index)
              return (
                <ServerRow
                  // A server may be on two pages that were loaded at different times.
                  key={index}
                  index={index}
                  row={row}
                  columns={columns}
                  isOpen={row !== undefined && row.id === openId}
                  isSelected={row !== undefined && selected.has(row.id)}
                  isAtCursor={index === Math.max(cursor.index, 0)}
                  onOpen={onOpen}
                  onSelect={onSelect}
                  onReach={onReach}
                />
              )
            })}
            {after > 0 && <Spacer height={after} span={columns.length} />}
          </tbody>
        </table>
      </div>
      {total > mostRows && <p className={styles.rest}>{t.servers.tooMany}</p>}
    </>
  )
}

/** Takes the height of rows that are not rendered. */
function Spacer({ height, span }: { readonly height: number; readonly span: number }) {
  return (
    <tr className={styles.spacer} aria-hidden="true">
      <td colSpan={span} style={{ height }} />
    </tr>
  )
}

interface SortHeaderProps {
  readonly column: ColumnName
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

function SortHeader({ column, sort, onSort }: SortHeaderProps) {
  const t = useMessages()
  const { sortBy, number } = columnDefinition(column)
  const title = t.servers.columns[column]
  const className = [column === 'name' && styles.first, number && styles.number]
    .filter(Boolean)
    .join(' ')
  return (
    <HeaderCell title={title} className={className} sortBy={sortBy} sort={sort} onSort={onSort} />
  )
}
