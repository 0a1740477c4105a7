import type { ReactNode } from 'react'
import { exclude, filterTo } from '../filter/edit-query.ts'
import { QueryView } from '../ui/query-view.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import styles from './list-page.module.css'
import { ListTable, type TableProps } from './list-table.tsx'
import type { ListItem } from './stable-pages.ts'
import type { List } from './use-list.ts'
import { ValueMenu } from './value-menu.tsx'

interface Props<Item extends ListItem, Name extends string> extends Pick<
  TableProps<Item, Name>,
  | 'name'
  | 'title'
  | 'columns'
  | 'cell'
  | 'line'
  | 'sort'
  | 'openId'
  | 'selected'
  | 'onSort'
  | 'onOpen'
> {
  readonly list: List<Item>
  readonly q: string
  /** Shown if no item matches. */
  readonly empty: ReactNode
  readonly onQuery: (q: string) => void
}

/** The table of a list, and the menu of a value in it. */
export function ListView<Item extends ListItem, Name extends string>(props: Props<Item, Name>) {
  const { list, q, empty, onQuery, ...table } = props
  const { pages, problem, picked, setPicked } = list
  return (
    <>
      <QueryView
        query={pages.query}
        isEmpty={(total) => total === 0}
        empty={empty}
        skeleton={<SkeletonRows rows={16} />}
        // The filter bar shows errors of the query.
        failure={() => problem !== undefined && <></>}
        className={styles.table}
      >
        {() => (
          <ListTable
            {...table}
            pages={pages}
            listKey={list.listKey}
            cursor={list.cursor}
            onRange={list.onRange}
            onReach={list.moveTo}
            onValue={(element) => {
              const { filter = '', value = '' } = element.dataset
              setPicked({
                values: [{ name: filter, value }],
                anchor: element.getBoundingClientRect(),
              })
            }}
          />
        )}
      </QueryView>
      {picked && (
        <ValueMenu
          {...picked}
          onFilter={({ name, value }) => onQuery(filterTo(q, name, value))}
          onExclude={({ name, value }) => onQuery(exclude(q, name, [value]))}
          onClose={() => setPicked(undefined)}
        />
      )}
    </>
  )
}
