import type { ReactNode } from 'react'
import type { Sort } from '../url/sort.ts'
import styles from './header-cell.module.css'

interface Props {
  readonly title: string
  readonly className?: string | undefined
  /** The sort key of the column; undefined if it cannot be sorted. */
  readonly sortBy?: string | undefined
  readonly sort?: Sort | undefined
  readonly onSort?: ((sort: Sort) => void) | undefined
  /** A control of the column, after its title. It is not part of the name of the column. */
  readonly children?: ReactNode
}

const arrows = { asc: '↑', desc: '↓' } as const

/** A column header, with a sort button if the column is sortable. */
export function HeaderCell({ title, className, sortBy, sort, onSort, children }: Props) {
  const shared = { scope: 'col', className, title, ...(children && { 'aria-label': title }) }
  if (sortBy === undefined || !onSort) {
    return (
      <th {...shared}>
        {title}
        {children}
      </th>
    )
  }
  const order = sort?.by === sortBy ? sort.order : undefined
  return (
    <th {...shared} aria-sort={order && `${order}ending`}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => onSort({ by: sortBy, order: order === 'asc' ? 'desc' : 'asc' })}
      >
        {title}
        {order && <span aria-hidden="true">{arrows[order]}</span>}
      </button>
      {children}
    </th>
  )
}
