import type { ReactNode } from 'react'
import type { Sort } from '../url/sort.ts'
import { HeaderCell } from './header-cell.tsx'
import { ScrollArea } from './scroll-area.tsx'
import styles from './table.module.css'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly number?: boolean
  /** The sort key of the column; undefined if it cannot be sorted. */
  readonly sortBy?: string
  readonly cell: (row: Row) => ReactNode
}

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
}

/** A table of at most a few hundred rows. The server list has its own table. */
export function Table<Row>({ caption, columns, rows, rowKey, sort, onSort }: Props<Row>) {
  return (
    <ScrollArea className={styles.scroll} label={caption}>
      <table className={styles.table}>
        <caption className="visuallyHidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, number, sortBy }) => (
              <HeaderCell
                key={key}
                title={title}
                className={number ? styles.number : undefined}
                sortBy={sortBy}
                sort={sort}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, title, number, cell }) => (
                <td key={key} data-title={title} className={number ? styles.number : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}
