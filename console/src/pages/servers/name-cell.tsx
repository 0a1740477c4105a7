import { Link } from '@tanstack/react-router'
import styles from '../../inventory/list-table.module.css'
import { useMessages } from '../../messages/use-messages.ts'
import { Cell } from '../../servers/cell.tsx'
import type { Row } from '../../servers/row.ts'

interface Props {
  readonly row: Row
  readonly isSelected: boolean
  readonly onOpen: () => void
  readonly onSelect: (row: Row) => void
}

/** The name of a server, with a box to select it. */
export function NameCell({ row, isSelected, onOpen, onSelect }: Props) {
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
