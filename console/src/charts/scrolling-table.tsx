import { Table, type Column } from '../ui/table.tsx'
import styles from './scrolling-table.module.css'

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** A table in place of a chart, with its own scrollbar. */
export function ScrollingTable<Row>(props: Props<Row>) {
  return (
    <div className={styles.tall}>
      <Table {...props} />
    </div>
  )
}
