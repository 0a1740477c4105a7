import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Cell } from '../../servers/cell.tsx'
import { columnDefinition, type ColumnName } from '../../servers/columns.ts'
import type { Row } from '../../servers/stable-pages.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './servers-table.module.css'

interface Props {
  readonly index: number
  /** Undefined while loading. */
  readonly row: Row | undefined
  readonly columns: readonly ColumnName[]
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isAtCursor: boolean
  readonly onOpen: (row: Row, index: number) => void
  readonly onSelect: (row: Row) => void
  /** The row got the focus. */
  readonly onReach: (index: number) => void
}

/** Memoized, because scrolling renders many rows. */
export const ServerRow = memo(function ServerRow(props: Props) {
  const { index, row, columns, isOpen, isSelected, isAtCursor, onOpen, onSelect, onReach } = props
  if (!row) {
    return (
      <tr aria-rowindex={index + 2} aria-busy="true">
        {columns.map((column) => (
          <td key={column} className={column === 'name' ? styles.first : undefined}>
            <span className={styles.bone} />
          </td>
        ))}
      </tr>
    )
  }
  return (
    <tr
      id={`row-${index}`}
      className={styles.row}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-open={isOpen}
      tabIndex={isAtCursor ? 0 : -1}
      onFocus={() => onReach(index)}
      onClick={(event) => {
        const isOther = (event.target as HTMLElement).closest('a, button, input')
        if (!isOther && getSelection()?.isCollapsed !== false) onOpen(row, index)
      }}
    >
      {columns.map((column) =>
        column === 'name' ? (
          <td key={column} className={styles.first}>
            <NameCell
              row={row}
              isSelected={isSelected}
              onOpen={() => onOpen(row, index)}
              onSelect={onSelect}
            />
          </td>
        ) : (
          <td key={column} className={columnDefinition(column).number ? styles.number : undefined}>
            <Cell column={column} row={row} />
          </td>
        ),
      )}
    </tr>
  )
})

interface NameProps {
  readonly row: Row
  readonly isSelected: boolean
  readonly onOpen: () => void
  readonly onSelect: (row: Row) => void
}

function NameCell({ row, isSelected, onOpen, onSelect }: NameProps) {
  const t = useMessages()
  return (
    <div className={styles.nameCell}>
      <input
        type="checkbox"
        checked={isSelected}
        tabIndex={-1}
        aria-label={t.servers.select(row.name ?? '')}
        onChange={() => onSelect(row)}
      />
      <Link
        to="/servers/$id"
        params={{ id: row.id }}
        tabIndex={-1}
        title={row.name}
        preload={false}
        onClick={(event) => {
          // Opens the panel; with a modifier key it is a normal link.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen()
        }}
      >
        <Cell column="name" row={row} />
      </Link>
    </div>
  )
}
