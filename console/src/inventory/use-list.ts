import { ApiError } from '@muster/sdk'
import { useCallback, useState } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import type { ListItem } from './stable-pages.ts'
import { useListKeys, type KeyOptions } from './use-list-keys.ts'
import { usePages, useVisibleRange, type ListPages, type ListQueries } from './use-pages.ts'
import type { PickedValues } from './value-menu.tsx'

interface Options<Item extends ListItem> extends Omit<KeyOptions<Item>, 'pages' | 'onPick'> {
  /** Identifies the requests: also those of the same list with other columns. */
  readonly queryKey: string
  readonly queries: ListQueries<Item>
  /** Shows other rows instead of the pages, such as groups. */
  readonly withRows?: ((pages: ListPages<Item>) => ListPages<Item>) | undefined
}

const firstRow = { first: 0, last: 0 }

/** Errors of the query are shown at the filter, not instead of the list. The time is chosen elsewhere. */
export function queryProblem(error: unknown, filterName: string): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined
  const [field] = error.fields
  if (field?.path === 'as_of') return undefined
  return field?.path === 'q' ? `${filterName} ${field.problem}` : error.details
}

/** The rows of a list, the row at the cursor, and the values picked from a row. `ListView` shows them. */
export function useList<Item extends ListItem>(options: Options<Item>) {
  const { listKey, queryKey, queries, withRows } = options
  const t = useMessages()
  const [visible, setVisible] = useVisibleRange(listKey)
  const loaded = usePages(queryKey, queries, withRows ? firstRow : visible)
  const pages = withRows ? withRows(loaded) : loaded
  const [picked, setPicked] = useState<PickedValues>()
  const { cursor, moveTo } = useListKeys({ ...options, pages, onPick: setPicked })
  const onRange = useCallback(
    (first: number, last: number) => setVisible({ first, last }),
    [setVisible],
  )
  return {
    listKey,
    pages,
    /** The API's error message for the query. */
    problem: queryProblem(pages.query.error, t.servers.theFilter),
    visible,
    onRange,
    cursor,
    moveTo,
    picked,
    setPicked,
  }
}
export type List<Item extends ListItem> = ReturnType<typeof useList<Item>>
