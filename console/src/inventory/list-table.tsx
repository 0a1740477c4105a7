import {
  useEffect,
  useLayoutEffect,
  useRef,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from 'react'
import { density } from '../frame/preferences.ts'
import { usePreference } from '../frame/use-preference.ts'
import { useMessages } from '../messages/use-messages.ts'
import type { Sort } from '../url/sort.ts'
import { HeaderCell } from '../ui/header-cell.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import { ColumnSeparator } from './column-separator.tsx'
import { ListRow, type CellRenderer, type LineRenderer, type ListColumn } from './list-row.tsx'
import styles from './list-table.module.css'
import type { ListItem } from './stable-pages.ts'
import { useColumnWidths } from './use-column-widths.ts'
import { useShown } from './use-shown.ts'
import type { Cursor } from './use-list-keys.ts'
import type { ListPages } from './use-pages.ts'
import { useVisibleRows } from './use-visible-rows.ts'

export interface TableProps<Item extends ListItem, Name extends string> {
  /** Identifies the list whose column widths are remembered. */
  readonly name: string
  readonly title: string
  readonly pages: ListPages<Item>
  /** Identifies the list. A new list starts at the top once it has loaded. */
  readonly listKey: string
  readonly columns: readonly ListColumn<Name>[]
  readonly cell: CellRenderer<Item, Name>
  readonly line?: LineRenderer<Item> | undefined
  readonly sort: Sort
  readonly cursor: Cursor
  readonly openId?: string | undefined
  readonly selected?: ReadonlySet<string>
  readonly onSort: (sort: Sort) => void
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (row: Item, index: number) => void
  readonly onReach: (index: number) => void
  readonly onValue: (element: HTMLElement) => void
}

const heights = { comfortable: 36, compact: 28 }
/** On a phone a row has two lines, and there is no header. */
const narrowHeight = 60
/** Browsers limit element heights to about 17 million pixels. */
const mostRows = 400_000
const headerHeight = 36

/** A virtualized table: only visible rows are rendered. */
export function ListTable<Item extends ListItem, Name extends string>(
  props: TableProps<Item, Name>,
) {
  const {
    name: list,
    title,
    pages,
    listKey,
    columns,
    cell,
    line,
    sort,
    cursor,
    openId,
    selected,
  } = props
  const { onSort, onRange, onOpen, onReach, onValue } = props
  const t = useMessages()
  const scroll = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow()
  const comfort = heights[usePreference(density)]
  const height = isNarrow ? narrowHeight : comfort
  const total = pages.rowCount ?? 0
  const count = Math.min(total, mostRows)
  const { first, last, scrollToRow } = useVisibleRows({
    scroll,
    count,
    height,
    header: isNarrow ? 0 : headerHeight,
  })
  const rowsKey = useShown(listKey, pages.isOutdated)
  const sized = useColumnWidths({ list, columns, rowsKey, scroll })
  const width = sized.widths.reduce((sum, each) => sum + each, 0)
  const indexes = Array.from({ length: count === 0 ? 0 : last - first + 1 }, (_, at) => first + at)

  useEffect(() => onRange(first, last), [first, last, onRange])
  useLayoutEffect(() => {
    scroll.current?.scrollTo({ top: 0 })
  }, [rowsKey])
  useEffect(() => {
    if (!cursor.scrollsIntoView) return
    scrollToRow(cursor.index)
    const timer = setTimeout(() =>
      document.getElementById(`row-${cursor.index}`)?.focus({ preventScroll: true }),
    )
    return () => clearTimeout(timer)
  }, [cursor, scrollToRow])

  function click(event: MouseEvent<HTMLElement>): void {
    const value = (event.target as HTMLElement).closest<HTMLElement>('[data-filter]')
    if (!value) return
    event.stopPropagation()
    onValue(value)
  }

  // The whole text of a cell that cuts it. Looked up late, because widths and values change.
  function tellWhole({ target }: PointerEvent<HTMLElement>): void {
    const cell = (target as HTMLElement).closest('td')
    if (!cell) return
    const parts = [cell, ...cell.querySelectorAll('*')]
    const isCut = parts.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    cell.title = isCut ? cell.innerText : ''
  }

  const before = first * height
  const after = count === 0 ? 0 : (count - 1 - last) * height
  return (
    <>
      <div ref={scroll} className={styles.scroll} role="group" aria-label={title}>
        <table
          className={styles.table}
          style={isNarrow ? undefined : { minWidth: width, ...(!sized.isFlexible && { width }) }}
          aria-rowcount={total + 1}
          onClickCapture={click}
          onPointerOver={tellWhole}
        >
          <caption className="visuallyHidden">{title}</caption>
          <colgroup>
            {columns.map(({ name }, at) => (
              <col key={name} style={{ width: sized.widths[at] }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column, at) => (
                <SortHeader key={column.name} column={column} sort={sort} onSort={onSort}>
                  <ColumnSeparator
                    title={column.title}
                    width={sized.widths[at] ?? column.width}
                    needed={sized.needed[column.name]}
                    onResize={(next) => sized.resize(column.name, next)}
                  />
                </SortHeader>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <Spacer height={before} span={columns.length} />}
            {indexes.map((index) => {
              const row = pages.rowAt(index)
              return (
                <ListRow
                  // An item may be on two pages that were loaded at different times.
                  key={index}
                  index={index}
                  row={row}
                  columns={columns}
                  cell={cell}
                  line={line}
                  state={row && pages.rowState(row.id)}
                  isOpen={row !== undefined && row.id === openId}
                  isSelected={row && selected?.has(row.id)}
                  isAtCursor={index === Math.max(cursor.index, 0)}
                  onOpen={onOpen}
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
  readonly column: ListColumn<string>
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly children: ReactNode
}

function SortHeader({ column, sort, onSort, children }: SortHeaderProps) {
  const { name, title, sortBy, number } = column
  const className = [name === 'name' && styles.first, number && styles.number]
    .filter(Boolean)
    .join(' ')
  return (
    <HeaderCell title={title} className={className} sortBy={sortBy} sort={sort} onSort={onSort}>
      {children}
    </HeaderCell>
  )
}
