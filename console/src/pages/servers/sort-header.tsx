import { factsOf, type ColumnName } from '../../servers/columns.ts'
import { useText } from '../../text/use-text.ts'
import type { Sort } from '../../url/sort.ts'
import styles from './servers-table.module.css'

interface Props {
  readonly column: ColumnName
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

export function SortHeader({ column, sort, onSort }: Props) {
  const t = useText()
  const { sortBy, number } = factsOf(column)
  const title = t.servers.columns[column]
  const className = [column === 'name' && styles.first, number && styles.number]
    .filter(Boolean)
    .join(' ')
  if (sortBy === undefined) {
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    )
  }
  const order = sort.by === sortBy ? sort.order : undefined
  return (
    <th scope="col" className={className} aria-sort={order && `${order}ending`}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' })}
      >
        {title}
        {order && <span aria-hidden="true">{order === 'asc' ? '↑' : '↓'}</span>}
      </button>
    </th>
  )
}
