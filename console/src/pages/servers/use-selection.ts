import { useCallback, useMemo, useRef, useState } from 'react'
import type { Row } from '../../servers/row.ts'
import { useStableCallback } from '../../ui/use-stable-callback.ts'

/** Rows that are not loaded are left out. */
const rowsBetween = (rowAt: (index: number) => Row | undefined, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => rowAt(first + at)).filter(
    (row) => row !== undefined,
  )

/** The selected servers, across pages, or all that match the query of a list. */
export function useSelection(
  listKey: string,
  isBin: boolean,
  rowAt: (index: number) => Row | undefined,
) {
  /** Where a range starts: the row that was selected last. */
  const start = useRef<{ readonly listKey: string; readonly index: number }>(undefined)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string>()
  const [binOf, setBinOf] = useState(isBin)
  if (binOf !== isBin) {
    // Other actions apply to servers in the recycle bin.
    setBinOf(isBin)
    setChosen(new Map())
  }
  const toggle = useStableCallback((row: Row, index: number, isRange: boolean) => {
    const from = start.current?.listKey === listKey ? start.current.index : undefined
    start.current = { listKey, index }
    const range =
      isRange && from !== undefined
        ? rowsBetween(rowAt, Math.min(from, index), Math.max(from, index))
        : undefined
    setChosen((before) => {
      const next = new Map(before)
      if (range) for (const each of range) next.set(each.id, each)
      else if (!next.delete(row.id)) next.set(row.id, row)
      return next
    })
  })
  const clear = useCallback(() => {
    setChosen(new Map())
    setAllOf(undefined)
  }, [])
  const ids = useMemo<ReadonlySet<string>>(() => new Set(chosen.keys()), [chosen])
  const isAll = allOf === listKey
  return { rows: [...chosen.values()], ids, toggle, clear, isAll, selectAll: setAllOf }
}
export type Selection = ReturnType<typeof useSelection>
