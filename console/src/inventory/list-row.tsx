import { memo, type ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import type { SizedColumn } from './fit-columns.ts'
import styles from './list-table.module.css'
import type { RowState } from './settle-list.ts'
import type { ListItem } from './stable-pages.ts'

export interface ListColumn<Name extends string> extends SizedColumn<Name> {
  readonly title: string
  /** Undefined if the API cannot sort by it, or only slowly. */
  readonly sortBy?: string | undefined
  readonly number?: boolean | undefined
}

/** Renders the value of a column. Must be stable, because rows are memoized. */
export type CellRenderer<Item, Name extends string> = (
  column: Name,
  row: Item,
  index: number,
) => ReactNode

/** Renders a row that has no values for the columns as one line; undefined for other rows. */
export type LineRenderer<Item> = (row: Item, index: number) => ReactNode

interface Props<Item extends ListItem, Name extends string> {
  readonly index: number
  /** Undefined while loading. */
  readonly row: Item | undefined
  readonly columns: readonly ListColumn<Name>[]
  readonly cell: CellRenderer<Item, Name>
  readonly line?: LineRenderer<Item> | undefined
  /** Why it is shown although it no longer matches. */
  readonly state: RowState | undefined
  readonly isOpen: boolean
  /** Undefined if rows cannot be selected. */
  readonly isSelected: boolean | undefined
  readonly isAtCursor: boolean
  readonly onOpen: (row: Item, index: number) => void
  /** The row got the focus. */
  readonly onReach: (index: number) => void
}

function Row<Item extends ListItem, Name extends string>(props: Props<Item, Name>) {
  const { index, row, columns, cell, line, state, isOpen, isSelected, isAtCursor } = props
  const { onOpen, onReach } = props
  const t = useMessages()
  if (!row) {
    return (
      <tr aria-rowindex={index + 2} aria-busy="true">
        {columns.map(({ name }) => (
          <td key={name} className={name === 'name' ? styles.first : undefined}>
            <span className={styles.bone} />
          </td>
        ))}
      </tr>
    )
  }
  const whole = line?.(row, index)
  return (
    <tr
      id={`row-${index}`}
      className={styles.row}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-open={isOpen}
      data-state={state}
      tabIndex={isAtCursor ? 0 : -1}
      onFocus={() => onReach(index)}
      onClick={(event) => {
        const isOther = (event.target as HTMLElement).closest('a, button, input')
        if (!isOther && getSelection()?.isCollapsed !== false) onOpen(row, index)
      }}
    >
      {whole !== undefined && (
        <td className={styles.line} colSpan={columns.length}>
          {whole}
        </td>
      )}
      {whole === undefined &&
        columns.map(({ name, number, isWhole }) => {
          const className = name === 'name' ? styles.first : number ? styles.number : undefined
          return (
            <td key={name} className={className} data-whole={isWhole ? name : undefined}>
              {cell(name, row, index)}
              {name === 'name' && state && (
                <span className={styles.state}>{t.servers.rowStates[state]}</span>
              )}
            </td>
          )
        })}
    </tr>
  )
}

/** Memoized, because scrolling renders many rows. */
export const ListRow = memo(Row) as typeof Row
