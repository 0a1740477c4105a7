import { useCallback, useMemo, useState } from 'react'
import type { Row } from '../../servers/stable-pages.ts'

/** The servers that are ticked, whichever page they are on. */
export function useSelection() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const toggle = useCallback(
    (row: Row) =>
      setChosen((before) => {
        const next = new Map(before)
        if (!next.delete(row.id)) next.set(row.id, row)
        return next
      }),
    [],
  )
  const clear = useCallback(() => setChosen(new Map()), [])
  const ids = useMemo<ReadonlySet<string>>(() => new Set(chosen.keys()), [chosen])
  return { rows: [...chosen.values()], ids, toggle, clear }
}
