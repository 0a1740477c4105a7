import { columnDefinition, type ColumnName } from '../../servers/columns.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { HeaderCell } from '../../ui/header-cell.tsx'
import type { Sort } from '../../url/sort.ts'
import styles from './servers-table.module.css'

interface Props {
  readonly column: ColumnName
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

export function SortHeader({ column, sort, onSort }: Props) {
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
