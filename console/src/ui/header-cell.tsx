import type { Sort } from '../url/sort.ts'
import styles from './header-cell.module.css'

interface Props {
  readonly title: string
  readonly className?: string | undefined
  /** The sort key of the column; undefined if it cannot be sorted. */
  readonly sortBy?: string | undefined
  readonly sort?: Sort | undefined
  readonly onSort?: ((sort: Sort) => void) | undefined
}

const arrows = { asc: '↑', desc: '↓' } as const

/** A column header, with a sort button if the column is sortable. */
export function HeaderCell({ title, className, sortBy, sort, onSort }: Props) {
  if (sortBy === undefined || !onSort) {
    return (
      <th scope="col" className={className} title={title}>
        {title}
      </th>
    )
  }
  const order = sort?.by === sortBy ? sort.order : undefined
  return (
    <th scope="col" className={className} title={title} aria-sort={order && `${order}ending`}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' })}
      >
        {title}
        {order && <span aria-hidden="true">{arrows[order]}</span>}
      </button>
    </th>
  )
}
