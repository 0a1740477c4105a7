import type { Batch, Task } from '@muster/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { batchesQuery, tasksQuery } from '../api/queries/tasks.ts'
import { rowsOf } from '../api/query-result.ts'
import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { Table, type Column } from '../ui/table.tsx'
import styles from './tasks.module.css'

interface Props<Row> {
  readonly query: Row extends Task ? ReturnType<typeof tasksQuery> : ReturnType<typeof batchesQuery>
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly empty: ReactNode
}

/** A list of tasks or batches, loaded page by page. */
export function TaskList<Row extends Task | Batch>({ query, caption, columns, empty }: Props<Row>) {
  const { tasks: t, common } = useMessages()
  const { number } = useFormat()
  const list = useInfiniteQuery(query as unknown as ReturnType<typeof tasksQuery>)
  const rows = rowsOf(list, (page) => page.rows as unknown as readonly Row[])
  const total = list.data?.pages.at(-1)?.total ?? 0
  return (
    <QueryView query={rows} skeleton={<SkeletonRows rows={8} />} empty={empty}>
      {(shown) => (
        <>
          <Table caption={caption} columns={columns} rows={shown} rowKey={({ id }) => id} />
          <div className={styles.more}>
            {list.hasNextPage && (
              <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {common.more}
              </Button>
            )}
            <span role="status">{t.loaded(number(shown.length), number(total))}</span>
          </div>
        </>
      )}
    </QueryView>
  )
}
