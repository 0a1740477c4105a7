import { useCallback, useMemo, useState } from 'react'
import type { Row } from '../../servers/row.ts'

/** The selected servers, across pages, or all that match the query of a list. */
export function useSelection(listKey: string, isBin: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string>()
  const [binOf, setBinOf] = useState(isBin)
  if (binOf !== isBin) {
    // Other actions apply to servers in the recycle bin.
    setBinOf(isBin)
    setChosen(new Map())
  }
  const toggle = useCallback(
    (row: Row) =>
      setChosen((before) => {
        const next = new Map(before)
        if (!next.delete(row.id)) next.set(row.id, row)
        return next
      }),
    [],
  )
  const clear = useCallback(() => {
    setChosen(new Map())
    setAllOf(undefined)
  }, [])
  const ids = useMemo<ReadonlySet<string>>(() => new Set(chosen.keys()), [chosen])
  const isAll = allOf === listKey
  return { rows: [...chosen.values()], ids, toggle, clear, isAll, selectAll: setAllOf }
}
export type Selection = ReturnType<typeof useSelection>
