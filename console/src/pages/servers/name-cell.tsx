import { Link } from '@tanstack/react-router'
import styles from '../../inventory/list-table.module.css'
import { useAsOf } from '../../inventory/use-as-of.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Cell } from '../../servers/cell.tsx'
import type { ColumnName } from '../../servers/columns.ts'
import { Marked } from '../../servers/marked.tsx'
import type { Row } from '../../servers/row.ts'
import { hiddenMatch } from '../../servers/search-matches.ts'

interface Props {
  readonly row: Row
  readonly isSelected: boolean
  readonly search: ListSearch
  readonly onOpen: () => void
  /** `isRange`: with all rows from the one that was selected before. */
  readonly onSelect: (isRange: boolean) => void
}

/** What was searched, and the columns that can show it. */
export interface ListSearch {
  readonly words: readonly string[]
  readonly columns: readonly ColumnName[]
}

/** The name of a server, with a box to select it. There are no actions in the past. */
export function NameCell({ row, isSelected, search, onOpen, onSelect }: Props) {
  const t = useMessages()
  const isSelectable = useAsOf() === undefined
  const match = hiddenMatch(row, search.words, search.columns)
  return (
    <div className={styles.nameCell}>
      {isSelectable && (
        <input
          type="checkbox"
          checked={isSelected}
          tabIndex={-1}
          aria-label={t.servers.select(row.name ?? '')}
          onChange={({ nativeEvent }) =>
            onSelect(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
      )}
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
        <Cell column="name" row={row} words={search.words} />
      </Link>
      {match && (
        <span className={styles.match} title={match.text}>
          {t.servers.columns[match.column]}: <Marked text={match.text} words={search.words} />
        </span>
      )}
    </div>
  )
}
